package compactor

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// Of a chat without tools nothing can be read again, so about the newest 16,000 tokens stay whole.
func TestPlainChatsKeepTheirNewestTurns(t *testing.T) {
	essay := func(n int) string { return fmt.Sprint(n, strings.Repeat(" The oven is old.", 400)) }
	chat := func(replies int) (msgs []string) {
		for n := range replies {
			msgs = append(msgs, chattest.Says(view.User, fmt.Sprintf("Write part %d.", n)),
				chattest.Says(view.Assistant, essay(n)))
		}
		return append(msgs, chattest.Says(view.User, "Shorten part 2."))
	}
	tools := []byte(`"tools":[{"type":"function","function":{"name":"read"}}],"temperature"`)
	reminder := chattest.Says(view.User, "<system-reminder>Be brief.</system-reminder>")
	withTools := bytes.Replace(body(chat(8)), []byte(`"temperature"`), tools, 1)
	for name, c := range map[string]struct {
		body []byte
		kept string // the part of a reply that is still sent whole, "" if all are
		gone string // of one that is not
	}{
		"short":       {body(chat(8)), "", ""},
		"long":        {body(chat(30)), essay(29), essay(2)},
		"with tools":  {withTools, "", essay(2)},
		"of a client": {body(append([]string{reminder}, chat(8)...)), "", essay(2)},
		"after a call": {body(append([]string{chattest.Call("c", "read", `{"path":"a"}`),
			chattest.Result("c", "a")}, chat(8)...)), "", essay(2)},
	} {
		policy := settings.Policy{Auto: true}
		e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		res := e.Compact(t.Context(), parse(t, c.body), "ann")
		if folded := c.gone != ""; res.Folded != folded {
			t.Errorf("%s: folded %t, want %t, %d tokens", name, res.Folded, folded, res.Raw)
		}
		if !bytes.Contains(res.Body, []byte(c.kept)) {
			t.Errorf("%s: the newest reply is not sent", name)
		}
		if c.gone != "" && bytes.Contains(res.Body, []byte(c.gone)) {
			t.Errorf("%s: an old reply is sent", name)
		}
		if name == "long" && (res.Sent < 12_000 || res.Sent > 16_000) {
			t.Errorf("%s: %d tokens are sent, want almost 16,000", name, res.Sent)
		}
	}
}

// A call changes nothing of what was decided before it: a process that sees the whole conversation
// at once makes the forms of one that saw every turn.
func TestACallAfterAPlainChat(t *testing.T) {
	var msgs []string
	for n := range 60 {
		msgs = append(msgs, chattest.Says(view.User, fmt.Sprintf("Write part %d.", n)))
		if n == 30 {
			msgs = append(msgs, chattest.Call("c", "read", `{"path":"a"}`),
				chattest.Result("c", "a"))
		}
		msgs = append(msgs,
			chattest.Says(view.Assistant, fmt.Sprint(n, strings.Repeat(" The oven is old.", 400))))
	}
	newEngine := func() *Engine {
		policy := settings.Policy{Auto: true}
		return New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
	}
	e, parser := newEngine(), view.Parser{MinBytes: 1}
	for n := 1; n <= len(msgs); n += 2 {
		turn := body(msgs[:n])
		req, err := parser.Parse(chat.Format, "ann", turn)
		if err != nil {
			t.Fatal(err)
		}
		got := e.Compact(t.Context(), req, "ann").Body
		if want := newEngine().Compact(t.Context(), parse(t, turn), "ann").Body; !bytes.Equal(got,
			want) {
			t.Errorf("%d messages become %d bytes, at once %d", n, len(got), len(want))
		}
	}
}

// An agent whose calls and results are text is no such chat: what was returned is folded like the
// output of a tool. The same messages after other words are a person's, and stay whole.
func TestCallsInTextAreNoPlainChat(t *testing.T) {
	returned := func(n int) string {
		return fmt.Sprint("Observation: part ", n, strings.Repeat(" The oven is old.", 90))
	}
	const task, last = "Find the part about the oven.", 39
	chat := func(called string) []string {
		msgs := []string{chattest.Says(view.User, task)}
		for n := range last + 1 {
			msgs = append(msgs, chattest.Says(view.Assistant, fmt.Sprintf(called, n)),
				chattest.Says(view.User, returned(n)))
		}
		return msgs
	}
	for _, c := range []struct {
		name, called string
		folded       bool
	}{
		{"calls", "Thought: I look.\nAction: read\nAction Input: {\"part\": %d}", true},
		{"words", "Part %d is next. What do you see?", false},
	} {
		policy := settings.Policy{Auto: true}
		e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		res := e.Compact(t.Context(), parse(t, body(chat(c.called))), "ann")
		if res.Folded != c.folded || c.folded && res.Sent > res.Raw/2 {
			t.Errorf("%s: folded %t, %d of %d tokens are sent", c.name, res.Folded, res.Sent,
				res.Raw)
		}
		for _, kept := range []string{task, returned(last)} {
			if !bytes.Contains(res.Body, []byte(kept)) {
				t.Errorf("%s: not sent: %.40s", c.name, kept)
			}
		}
		if got := bytes.Contains(res.Body, []byte(returned(2))); got == c.folded {
			t.Errorf("%s: an old message is sent: %t", c.name, got)
		}
		if got := bytes.Contains(res.Body, []byte("call(read Action Input:")); got != c.folded {
			t.Errorf("%s: the record names calls: %t", c.name, got)
		}
	}
}

// A person may continue a chat with a model at whose prices it is compacted earlier. The decisions
// are then made about fewer messages than were read before.
func TestAChatGoesOnWithAnotherModel(t *testing.T) {
	costs := func(model string) settings.Costs {
		if model == "dear" { // to rewrite
			return settings.Costs{Prices: plan.Prices{Cached: 50, Write: 1250}}
		}
		return settings.Costs{Prices: plan.Prices{Cached: 250, Write: 1000}}
	}
	e := New(Options{
		Policy: settings.Policy{Auto: true}, Counter: byBytes, Store: newMemStore(), Costs: costs,
	})
	var parser view.Parser
	var msgs []string
	for n := range 40 {
		msgs = append(msgs, chattest.Says(view.User, fmt.Sprintf("Write part %d.", n)))
		in := body(msgs)
		if n < 35 {
			in = bytes.Replace(in, []byte(`"gpt-5.1"`), []byte(`"dear"`), 1)
		}
		req, err := parser.Parse(chat.Format, "ann", in)
		if err != nil {
			t.Fatal(err)
		}
		res := e.Compact(t.Context(), req, "ann")
		if res.Folded != (n >= 35) || len(res.FailOpens) > 0 {
			t.Errorf("turn %d: %d tokens of %d, %v", n, res.Sent, res.Raw, res.FailOpens)
		}
		msgs = append(msgs,
			chattest.Says(view.Assistant, fmt.Sprint(n, strings.Repeat(" The oven is old.", 200))))
	}
}
