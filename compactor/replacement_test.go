package compactor

import (
	"bytes"
	"strings"
	"testing"

	"killick/compactor/settings"
	"killick/summary"
	"killick/view"
)

// usersInARow counts user messages right after another one, instructions between them or not.
func usersInARow(r *view.Request) (n int) {
	var last view.Role
	for i := range r.Messages() {
		role := r.Messages()[i].Role()
		if role.Instructs() {
			continue
		}
		if role == view.User && last == view.User {
			n++
		}
		last = role
	}
	return n
}

func TestStrictTurnsAlternate(t *testing.T) {
	sequential(t)
	policy := settings.Policy{Trigger: 6000, Target: 3000, RecordTokens: 3000,
		WorkingSetTokens: 500}
	strictly := policy
	strictly.StrictTurns = true
	apart := 0
	for seed := range randomSeeds(3) {
		msgs := session(seed, 60)
		strict := New(Options{Policy: strictly, Counter: byBytes, Store: newMemStore()})
		loose := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		turns(t, msgs, func(n int) {
			in := parse(t, body(msgs[:n]))
			out := parse(t, strict.Compact(t.Context(), in, "ann").Body)
			if got, was := usersInARow(out), usersInARow(in); got > was {
				t.Errorf(
					"seed %d, turn %d: %d user messages behind another, %d came",
					seed,
					n,
					got,
					was,
				)
			}
			first := 0
			for first < len(out.Messages()) && out.Messages()[first].Role().Instructs() {
				first++
			}
			if out.Messages()[first].Role() != view.User {
				t.Errorf("seed %d, turn %d: the first turn is not the user's", seed, n)
			}
			if usersInARow(parse(t, loose.Compact(t.Context(), in, "ann").Body)) > usersInARow(in) {
				apart++
			}
		})
	}
	if apart == 0 {
		t.Error("without strict turns no two user messages met: nothing is shown")
	}
}

// marked is a conversation whose client marks messages as agents do: the
// leading instructions, the task, and the newest messages at every turn.
func marked(level string, n int) (msgs []string) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	at := func(on bool, where string) string {
		if on && where == level {
			return mark
		}
		return ""
	}
	msgs = append(msgs,
		`{"role":"system","content":[{"type":"text","text":"S"`+mark+`}]}`,
		`{"role":"user","content":[{"type":"text","text":"Fix the build of all services."`+
			at(true, "part")+`}]`+at(true, "message")+`}`,
	)
	for i := range n {
		newest := i >= n-2
		id := "call_" + string(rune('a'+i%26))
		msgs = append(msgs,
			`{"role":"assistant","content":null,"reasoning_content":"I think \ud83d",`+
				`"tool_calls":[{"id":"`+id+
				`","type":"function","function":{"name":"read","arguments":"{}"}`+
				at(newest || i == 0, "call")+`}]}`,
			`{"role":"tool",`+
				`"tool_call_id":"`+id+`","content":[{"type":"text","text":"`+
				strings.Repeat("Some output of "+id+". ", 50)+`"`+at(newest, "part")+`}]`+
				at(newest, "message")+`}`,
		)
	}
	return msgs
}

func lastRecord(r *view.Request) (last *view.Message) {
	for i := range r.Messages() {
		if m := &r.Messages()[i]; m.Role() == view.User &&
			strings.Contains(m.Text(), summary.Mark) {
			last = m
		}
	}
	return last
}

func TestBreakpointsMoveWithTheirMessages(t *testing.T) {
	sequential(t)
	for name, policy := range policies() {
		for _, level := range []string{"message", "part", "call"} {
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			folded := false
			for n := 1; n < 40; n++ {
				msgs := marked(level, n)
				in := body(msgs)
				res := e.Compact(t.Context(), parse(t, in), "ann")
				was, is := bytes.Count(in, []byte(`"cache_control"`)),
					bytes.Count(res.Body, []byte(`"cache_control"`))
				if is > was || is > 4 {
					t.Fatalf(
						"%s, %s, turn %d: %d marks of %d: %s",
						name,
						level,
						n,
						is,
						was,
						res.Body,
					)
				}
				if record := lastRecord(parse(t, res.Body)); record != nil {
					// The task was marked, and is kept with its mark; or the first call, whose
					// mark moves to the record. A strict template has one message for both.
					onMessage := record.Field("cache_control") != nil
					mark := bytes.Contains(record.Raw, []byte(`"cache_control"`))
					kept := bytes.Contains(res.Body, []byte(msgs[1]))
					moved := mark && onMessage == (level == "message")
					if !moved && (level == "call" || policy.StrictTurns) ||
						kept == policy.StrictTurns {
						t.Fatalf("%s, %s, turn %d: the record is marked %t, the task is kept "+
							"%t: %s", name, level, n, mark, kept, record.Raw)
					}
					folded = true
				}
				if got := recount(parse(t, res.Body)); got != res.Sent {
					t.Errorf(
						"%s, %s, turn %d: says %d tokens, sent %d",
						name,
						level,
						n,
						res.Sent,
						got,
					)
				}
				for _, raw := range msgs[len(msgs)-2:] {
					if !bytes.Contains(res.Body, []byte(raw)) {
						t.Fatalf("%s, %s, turn %d: a kept message changed: %s", name, level, n, raw)
					}
				}
			}
			if !folded {
				t.Errorf("%s, %s: nothing was folded", name, level)
			}
		}
	}
}
