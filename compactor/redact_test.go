package compactor

import (
	"fmt"
	"strings"
	"testing"

	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/rawjson"
	"killick/view"
)

// hide is a redaction for tests.
func hide(text string) string { return strings.ReplaceAll(text, "s3cr3t-k3y", "[redacted: key]") }

// leaky is a conversation with a credential everywhere: in the task, a rule, a
// command, an output, an answer.
func leaky() []string {
	msgs := []string{
		`{"role":"system","content":"You are an agent."}`,
		`{"role":"user","content":"Log in with \u0073\u0033cr3t-k3y and fix it. Never print ` +
			`s3cr3t-k3y anywhere."}`,
	}
	for i := range 40 {
		msgs = append(
			msgs,
			fmt.Sprintf(
				`{"role":"assistant","content":"I decided to use s3cr3t-k3y instead of key_%d. `+
					`The value is s3cr3t-k3y.","tool_calls":[{"id":"c%[1]d","type":"function",`+
					`"function":{"name":"bash","arguments":"{\"command\":\"login --key `+
					`s3cr3t-k3y --n %[1]d\"}"}}]}`,
				i,
			),
			fmt.Sprintf(
				`{"role":"tool","tool_call_id":"c%d","content":%s}`,
				i,
				rawjson.AppendQuoted(
					nil,
					strings.Repeat(
						fmt.Sprintf("session_%d of s3cr3t-k3y at /srv/s3cr3t-k3y.pem\n", i),
						40,
					),
				),
			),
		)
	}
	return append(
		msgs,
		`{"role":"assistant","content":"Which one?"}`,
		`{"role":"user","content":"The last."}`,
	)
}

func TestRedaction(t *testing.T) {
	const secret = "s3cr3t-k3y"
	for name, tt := range map[string]struct {
		redact      func(string) string
		pins        bool
		task, other bool // the credential is in the kept task, and in the rest
	}{
		"off":       {nil, false, true, true},
		"summaries": {hide, false, true, false},
		"all":       {hide, true, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			policy := settings.Policy{
				Trigger:     9000,
				Target:      5000,
				IndexTokens: 500,

				WorkingSetTokens: 500,
				RecordTokens:     2000,
				RedactPins:       tt.pins,
				CheckCoverage:    true,
				Redact:           tt.redact,
			}
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			in := body(leaky())
			res := e.Compact(t.Context(), parse(t, in), "ann")
			if !res.Folded || len(res.FailOpens) > 0 {
				t.Fatalf("not folded: %+v", res)
			}
			out := parse(t, res.Body)
			if task := out.Messages()[1].Text(); !strings.HasPrefix(task, "Log in with ") ||
				strings.Contains(task, secret) != tt.task {
				t.Errorf("the task is %q", task)
			}
			for _, record := range recordsIn(out) {
				if strings.Contains(record, secret) != tt.other {
					t.Errorf("the record is %q", record)
				}
			}
			for _, m := range out.Messages() {
				if text := m.Text(); strings.HasPrefix(text, "[Output masked") &&
					strings.Contains(text, secret) != tt.other {
					t.Errorf("the placeholder is %q", text)
				}
			}
		})
	}
}

// What is truncated on arrival shows its lines as the client sent them, and says of no credential
// in a gap that it is there. A repeat doesn't tell the one in its call.
func TestShortFormsRevealNoCredential(t *testing.T) {
	const inGap = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"
	const inCall = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"
	byContext := func(text string) string {
		return strings.ReplaceAll(
			strings.ReplaceAll(text, "token:\n"+inGap, "token:\n[redacted]"),
			"--token "+inCall,
			"--token [redacted]",
		)
	}
	var log strings.Builder
	for i := range 300 {
		fmt.Fprintf(&log, "step %d of the build is done\n", i)
		if i == 220 {
			log.WriteString("token:\n" + inGap + "\nwritten to build/token.txt\n")
		}
	}
	call := func(id string) string {
		return fmt.Sprintf(
			`{"role":"assistant","content":null,"tool_calls":[{"id":"%[1]s","type":"function",`+
				`"function":{"name":"bash","arguments":`+
				`"{\"command\":\"build %[1]s --token %[2]s\"}"}}]}`,
			id,
			inCall,
		)
	}
	output := func(id, text string) string {
		return fmt.Sprintf(
			`{"role":"tool","tool_call_id":%q,"content":%s}`,
			id,
			rawjson.AppendQuoted(nil, text),
		)
	}
	brief := strings.Repeat("nothing to do\n", 90)
	msgs := []string{`{"role":"user","content":"Build it."}`, call("a"), output("a", log.String()),
		call("b"), output("b", brief), call("c"), output("c", brief)}
	for name, redact := range map[string]func(string) string{"off": nil, "summaries": byContext} {
		t.Run(name, func(t *testing.T) {
			e := New(Options{Policy: settings.Policy{TruncateOver: 900, Redact: redact},
				Counter: byBytes, Store: newMemStore()})
			res := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
			said := parse(t, res.Body).Messages()
			short, repeat := said[2].Text(), said[6].Text()
			if strings.Contains(short, inGap) != (redact == nil) ||
				strings.Contains(short, "redacted") ||
				!strings.Contains(short, "they name: ") {
				t.Errorf("the short form: %s", short)
			}
			if strings.Contains(repeat, inCall) != (redact == nil) ||
				!strings.HasPrefix(repeat, "[Word for word the same") {
				t.Errorf("the repeat: %s", repeat)
			}
		})
	}
}

// A credential that is known by the words around it must not be listed without
// them, where nothing would tell it.
func TestNoCredentialIsListedAsAName(t *testing.T) {
	const token = "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432"
	policy := settings.Policy{
		Trigger:       2000,
		Target:        1000,
		MinMaskTokens: 60,
		IndexTokens:   1000,

		WorkingSetTokens: 500,
		RecordTokens:     900,
		CheckCoverage:    true,
		Redact: func(text string) string {
			return strings.ReplaceAll(text, "Bearer "+token, "Bearer [redacted]")
		},
	}
	e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	msgs := append([]string{chattest.Says(view.User, "Call it with the token that you have and "+
		"mend shop_server.go."), chattest.Says(view.Assistant, "I use Bearer "+token+".")},
		chattest.Exchange("bash", chattest.Object("command", "for service in cart order stock "+
			"mail; do sleep 1; done; curl -H 'Bearer "+token+"' https://host/shop_server.go"),
			"sent Bearer "+token+" to shop_router.go "+strings.Repeat("and so on ", 900))...)
	for range 30 {
		msgs = append(
			msgs,
			chattest.Says(view.Assistant, "Next. "+strings.Repeat("I think about it. ", 30)),
			chattest.Says(view.User, "Go on."),
		)
	}
	res := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
	if !res.Folded || !strings.Contains(string(res.Body), "shop_router.go") {
		t.Fatalf("nothing was folded into a record with an index: %s", res.Reason)
	}
	if at := strings.Index(string(res.Body), token); at >= 0 {
		t.Errorf("the token is shown by itself: %.200q", res.Body[max(0, at-100):])
	}
}
