package compactor

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
)

func TestPinPatterns(t *testing.T) {
	msg := func(role, text string) *chat.Message {
		m, err := chat.ParseMessage(fmt.Appendf(nil, `{"role":%q,"content":%q,"tool_call_id":"c"}`, role, text))
		if err != nil {
			t.Fatal(err)
		}
		return &m
	}
	for _, tt := range []struct {
		pattern, role, text, tool string
		want                      bool
	}{
		{"DO NOT DEPLOY", "user", "Remember: DO NOT DEPLOY on Fridays.", "", true},
		{"DO NOT DEPLOY", "user", "do not deploy", "", false},
		{"re:^IMPORTANT:", "assistant", "IMPORTANT: port 8443", "", true},
		{"re:^IMPORTANT:", "assistant", "Not IMPORTANT: port 8443", "", false},
		{"re:(?i)ticket-[0-9]+", "tool", "see TICKET-17", "read", true},
		{"tool:get_policy", "tool", "No refunds.", "get_policy", true},
		{"tool:mcp_*", "tool", "x", "mcp_files", true},
		{"tool:mcp_*", "tool", "mcp_files", "read", false},
		{"tool:get_policy", "user", "get_policy", "", false},
		{"IMPORTANT", "system", "IMPORTANT", "", false}, // kept in any case
	} {
		if got := newPinRules([]string{tt.pattern}).hold(msg(tt.role, tt.text), tt.tool); got != tt.want {
			t.Errorf("%s on %s %q of %q: %t", tt.pattern, tt.role, tt.text, tt.tool, got)
		}
	}
	for _, bad := range []string{"", " ", "re:", "re:[", "tool:", "tool:[", strings.Repeat("x", longestPin+1)} {
		if CheckPin(bad) == nil {
			t.Errorf("%.20q is taken", bad)
		}
	}
}

// Pinned messages survive every turn word for word, whatever is masked, folded
// or shortened on arrival around them.
func TestPinsSurvive(t *testing.T) {
	for name, policy := range policies() {
		policy.Pin = []string{"re:^IMPORTANT:", "tool:get_policy"}
		t.Run(name, func(t *testing.T) {
			pinned := strings.Repeat("Refunds take 17 days and a form. ", 20)
			msgs := append([]string{`{"role":"user","content":"Start."}`,
				`{"role":"assistant","content":null,"tool_calls":[{"id":"p","type":"function","function":{"name":"get_policy","arguments":"{}"}}]}`,
				`{"role":"tool","tool_call_id":"p","content":"` + pinned + `"}`,
				`{"role":"assistant","content":"IMPORTANT: the port of the relay is 9443."}`,
				`{"role":"user","content":"Go on."}`}, conversation(5, randomTurns(40))[1:]...)
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			folded := false
			turns(t, msgs, func(n int) {
				if n < 5 {
					return
				}
				in := body(msgs[:n])
				res := e.Compact(t.Context(), parse(t, in), "ann")
				checkForm(t, in, res.Body)
				folded = folded || res.Folded
				for _, text := range []string{pinned, "IMPORTANT: the port of the relay is 9443."} {
					if !bytes.Contains(res.Body, []byte(text)) {
						t.Errorf("turn %d, folded %t: %.30q is lost", n, res.Folded, text)
					}
				}
			})
			if !folded {
				t.Error("nothing was ever folded")
			}
		})
	}
}

// Of too many pinned messages the oldest leave.
func TestPinsAreBounded(t *testing.T) {
	var msgs []chat.Message
	for i := range 3 * mostPinned {
		m, err := chat.ParseMessage(fmt.Appendf(nil, `{"role":"assistant","content":"IMPORTANT: number %d of them"}`, i))
		if err != nil {
			t.Fatal(err)
		}
		msgs = append(msgs, m, m) // what is said twice is kept once
	}
	mk := pinner{count: byteCounter{}.Text, maxTokens: 4000, rules: newPinRules([]string{"IMPORTANT"}), call: func(int) *call { return nil }}
	kept := Pins{}.advance(msgs, mk).Kept
	if len(kept) != mostPinned || !strings.Contains(kept[mostPinned-1].text(), fmt.Sprint(3*mostPinned-1)) {
		t.Errorf("%d are kept, the last is %q", len(kept), kept[len(kept)-1].text())
	}
	mk.maxTokens = 60
	tokens := 0
	for _, pin := range (Pins{}).advance(msgs, mk).Kept {
		tokens += mk.count(pin.text())
	}
	if tokens == 0 || tokens > 4*mk.maxTokens {
		t.Errorf("%d tokens are kept, at most %d are allowed", tokens, 4*mk.maxTokens)
	}
}

// The newest turns stay as they came, whatever the target.
func TestProtectedTurns(t *testing.T) {
	msgs := conversation(3, 40)
	for _, n := range []int{0, 3, 8} {
		policy := small
		policy.ProtectTurns = n
		e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		in := body(msgs)
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		was, is := parse(t, in).Messages(), parse(t, res.Body).Messages()
		left, i := n, 1
		for ; left > 0 && i <= len(is); i++ {
			if !bytes.Equal(was[len(was)-i].Raw, is[len(is)-i].Raw) {
				t.Fatalf("%d turns: message %d from the end changed, %d turns left", n, i, left)
			}
			if was[len(was)-i].Role() == chat.Assistant {
				left--
			}
		}
		if left > 0 {
			t.Errorf("%d turns: only %d are there", n, n-left)
		}
	}
}
