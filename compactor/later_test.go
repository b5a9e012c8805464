package compactor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compactor/plan"
	"killick/compactor/prepare"
	"killick/probe"
)

// A verifier sees passages of later messages under the numbers that these have in the conversation,
// also of those that come after the turns that are replaced.
func TestTheVerifierSeesLaterMessages(t *testing.T) {
	msgs := session(2, 60)
	sent, last, within, after := 0, 0, 0, 0
	author := faithful()
	author.write = func(_ context.Context, turns prepare.Turns) (prepare.Written, error) {
		last = turns.First + len(turns.Messages) - 1
		return prepare.Written{Form: "structured", Statements: trueStatements(turns)}, nil
	}
	author.verify = func(_ context.Context, checks probe.Checks) ([]probe.Support, error) {
		request := parse(t, body(msgs[:sent]))
		all := request.Messages()
		for all[0].Role().Instructs() {
			all = all[1:]
		}
		for _, p := range checks.Others {
			if p.Message > len(all) {
				t.Fatalf("%d messages were sent, a passage is of message %d", len(all), p.Message)
			}
			m := all[p.Message-1]
			text := m.Text()
			for _, call := range m.ToolCalls() {
				text += " " + call.Name + " " + call.Text()
			}
			first := strings.Fields(strings.Trim(p.Text, "…"))[0]
			if !strings.Contains(text, first) {
				t.Errorf("message %d lacks %q: %s", p.Message, first, text)
			}
			if p.Message > last {
				after++
			} else {
				within++
			}
		}
		return honestly(checks.Shown), nil
	}
	b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
	turns(t, msgs, func(n int) {
		sent = n
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(author))
		if res.After != nil {
			res.After(true)
			b.settle(t)
		}
	})
	if within == 0 || after == 0 {
		t.Errorf("%d passages of the turns, %d of later messages", within, after)
	}
}

// A verifier sees what the first of the turns answers, which is before them.
func TestTheVerifierSeesWhatTheFirstTurnAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	const asked = `{"role":"user","content":"What about matter %d then?"}`
	const answered = `{"role":"assistant","content":"This is answer %d, at length: %s"}`
	var msgs []string
	for i := range 400 {
		msgs = append(msgs, fmt.Sprintf(asked, i),
			fmt.Sprintf(answered, i, strings.Repeat("so it is. ", 100)))
	}
	author, first, seen := faithful(), 0, 0
	author.write = func(_ context.Context, turns prepare.Turns) (prepare.Written, error) {
		first = turns.First
		return prepare.Written{Form: "structured", Statements: trueStatements(turns)}, nil
	}
	author.verify = func(_ context.Context, checks probe.Checks) ([]probe.Support, error) {
		for _, s := range checks.Shown {
			if first > 1 && s.At == first && s.Passage != s.Quote {
				seen++
				if s.Related.Text == "" {
					t.Errorf("message %d: %+v, want what it answers", s.At, s)
				}
			}
		}
		return honestly(checks.Shown), nil
	}
	b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
	turns(t, msgs, func(n int) {
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(author))
		if res.After != nil {
			res.After(true)
			b.settle(t)
		}
	})
	if seen == 0 {
		t.Error("no statement is about the first of the turns")
	}
}

// The statements of a record that replaces earlier ones are in the order of their messages.
func TestStatementsAreInTheOrderOfTheirMessages(t *testing.T) {
	sequential(t)
	b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
	msgs := session(2, 250)
	folds := 0
	turns(t, msgs, func(n int) {
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(faithful()))
		if slices.Contains(res.Made, plan.FoldWithModel) {
			folds++
			for _, record := range recordsIn(parse(t, res.Body)) {
				_, account, _ := strings.Cut(record, "\n## Account by a model")
				last := 0
				for line := range strings.Lines(account) {
					var section string
					var message int
					if _, err := fmt.Sscanf(line, "- %s (%d", &section, &message); err != nil {
						continue
					}
					if message < last {
						t.Fatalf("turn %d: message %d follows %d:\n%s", n, message, last, account)
					}
					last = message
				}
			}
		}
		if res.After != nil {
			res.After(true)
			b.settle(t)
		}
	})
	if folds < 4 {
		t.Errorf("%d folds, want at least 4", folds)
	}
}

// Statements of earlier folds that the transcript shows not to hold any more are not shown again
// when a new record replaces the earlier ones.
func TestOutdatedStatementsAreNotShownAgain(t *testing.T) {
	sequential(t)
	const item = "Prune the roses in the yard"
	todo := func(id, status string) []string {
		return []string{`{"role":"assistant","content":null,"tool_calls":[{"id":"` + id +
			`","type":"function","function":{"name":"TodoWrite","arguments":` +
			`"{\"todos\":[{\"content\":\"` + item + `\",\"status\":\"` + status + `\"}]}"}}]}`,
			`{"role":"tool","tool_call_id":"` + id + `","content":"ok"}`}
	}
	msgs := session(2, 250)
	asked := 1 + slices.IndexFunc(msgs, func(raw string) bool {
		return strings.Contains(raw, `"role":"user"`)
	})
	msgs = slices.Concat(msgs[:asked], todo("first", "pending"), msgs[asked:])
	author := faithful()
	author.write = func(_ context.Context, turns prepare.Turns) (prepare.Written, error) {
		list := trueStatements(turns)
		if turns.First == 1 {
			list = append(list, probe.Statement{Section: "open", Text: "Still open: " + item,
				Messages: []int{2}, Quote: item})
		}
		return prepare.Written{Form: "structured", Statements: list}, nil
	}
	for _, done := range []bool{false, true} {
		all := msgs
		if done {
			at := 150
			for !strings.HasPrefix(msgs[at], `{"role":"user"`) {
				at++
			}
			all = slices.Concat(msgs[:at], todo("last", "completed"), msgs[at:])
		}
		b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
		again := ""
		turns(t, all, func(n int) {
			res := b.CompactFor(t.Context(), parse(t, body(all[:n])), "ann", by(author))
			records := recordsIn(parse(t, res.Body))
			if slices.Contains(res.Made, plan.FoldWithModel) && n > 250 && again == "" {
				_, again, _ = strings.Cut(strings.Join(records, ""), "\n## Account by a model")
			}
			if res.After != nil {
				res.After(true)
				b.settle(t)
			}
		})
		if !strings.Contains(again, "- state (1): ") ||
			strings.Contains(again, "Still open") == done {
			t.Errorf("done %v: the statements are %s", done, again)
		}
	}
}
