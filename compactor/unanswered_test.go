package compactor

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/settings"
	"killick/converse"
	"killick/gemini"
	"killick/internal/chattest"
	"killick/internal/groundcheck"
	"killick/messages"
	"killick/responses"
	"killick/tokenizer"
	"killick/view"
)

// interrupted is a random conversation in which some calls have no result, or have it only after
// the model went on.
func interrupted(seed uint64, n int) (msgs []string) {
	rng := rand.New(rand.NewPCG(seed, 11))
	var late []string
	for _, m := range chattest.Session(seed, n) {
		if strings.HasPrefix(m, `{"role":"tool"`) {
			switch rng.IntN(12) {
			case 0:
				continue
			case 1:
				late = append(late, m)
				continue
			}
		} else if len(late) > 0 && rng.IntN(6) == 0 {
			msgs = append(msgs, late...)
			late = nil
		}
		msgs = append(msgs, m)
	}
	return msgs
}

// A conversation with calls that have no result, or a late one, gets the same bytes turn by turn,
// sent again and with an empty store, and no result that had a call loses it.
func TestUnansweredCallsOfRandomConversations(t *testing.T) {
	folds, late := 0, 0
	for name, policy := range policies() {
		for _, seed := range []uint64{0, 10, 21} {
			msgs := interrupted(seed, 30)
			fresh := func() *Engine {
				return New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			}
			warm := fresh()
			turns(t, msgs, func(n int) {
				in := body(msgs[:n])
				req := parse(t, in)
				got := warm.Compact(t.Context(), req, "ann")
				for _, f := range got.FailOpens {
					t.Errorf("%s %d, turn %d: failed open: %s: %v", name, seed, n, f.Reason, f.Err)
				}
				was, is := tallyOf(req.Messages()), tallyOf(parse(t, got.Body).Messages())
				if is.orphans > was.orphans || is.open > was.open {
					t.Errorf("%s %d, turn %d: %d results without a call of %d, %d calls without "+
						"a result of %d", name, seed, n, is.orphans, was.orphans, is.open, was.open)
				}
				if got.Folded && is.open < was.open {
					folds++
				}
				if slices.ContainsFunc(view.Groups(req.Messages()), func(g view.Group) bool {
					return g.Late
				}) {
					late++
				}
				again := warm.Compact(t.Context(), parse(t, in), "ann")
				if !bytes.Equal(got.Body, again.Body) {
					t.Errorf("%s %d, turn %d: sent again, it differs", name, seed, n)
				}
				afresh := fresh().Compact(t.Context(), parse(t, in), "ann")
				if !bytes.Equal(got.Body, afresh.Body) {
					t.Errorf("%s %d, turn %d: an empty store gives other bytes", name, seed, n)
				}
			})
		}
	}
	if folds == 0 || late == 0 {
		t.Errorf("%d requests without a folded call, %d with a late result", folds, late)
	}
}

// What records state of such conversations follows from them.
func TestRecordsOfUnansweredCalls(t *testing.T) {
	stated := 0
	for name, policy := range policies() {
		if policy.StrictTurns {
			continue // records are parts of messages
		}
		for seed := range randomSeeds(2) {
			msgs := slices.DeleteFunc(interrupted(seed, 30), func(m string) bool {
				return strings.Contains(m, `"function_call"`) || // not checked
					strings.HasPrefix(m, `{"role":"function"`)
			})
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			turns(t, msgs, func(n int) {
				in := body(msgs[:n])
				report := groundcheck.Check(in, e.Compact(t.Context(), parse(t, in), "ann").Body)
				for _, f := range report.Faults {
					t.Errorf("%s %d, turn %d: %v", name, seed, n, f)
				}
				stated += report.Counts[groundcheck.KindUnanswered]
			})
		}
	}
	if stated == 0 {
		t.Error("no record names a call without a result")
	}
}

// spelling is how a format spells a call, its result and what a user says, with ID and TEXT.
type spelling struct {
	format             view.Format
	list               string
	call, result, says string
	folds              bool // past a call without a result
	late               bool // a result may answer any call before it
}

var spellings = []spelling{
	{
		chat.Format, "messages",
		`{"role":"assistant","content":null,"tool_calls":[{"id":"ID","type":"function",` +
			`"function":{"name":"bash","arguments":"{\"command\":\"make ID\"}"}}]}`,
		`{"role":"tool","tool_call_id":"ID","content":"TEXT"}`,
		`{"role":"user","content":"TEXT"}`, true, true,
	},
	{
		messages.Format, "messages",
		`{"role":"assistant","content":[{"type":"tool_use","id":"ID","name":"bash",` +
			`"input":{"command":"make ID"}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"ID","content":"TEXT"}]}`,
		`{"role":"user","content":"TEXT"}`, true, true,
	},
	{
		responses.Format, "input",
		`{"type":"function_call","call_id":"ID","name":"bash",` +
			`"arguments":"{\"command\":\"make ID\"}"}`,
		`{"type":"function_call_output","call_id":"ID","output":"TEXT"}`,
		`{"role":"user","content":"TEXT"}`, false, true,
	},
	{
		gemini.Format, "contents",
		`{"role":"model","parts":[{"functionCall":{"name":"bash","args":` +
			`{"command":"make ID"}}}]}`,
		`{"role":"user","parts":[{"functionResponse":{"name":"bash","response":` +
			`{"output":"TEXT"}}}]}`,
		`{"role":"user","parts":[{"text":"TEXT"}]}`, true, false,
	},
	{
		converse.Format, "messages",
		`{"role":"assistant","content":[{"toolUse":{"toolUseId":"ID","name":"bash","input":` +
			`{"command":"make ID"}}}]}`,
		`{"role":"user","content":[{"toolResult":{"toolUseId":"ID","content":` +
			`[{"text":"TEXT"}]}}]}`,
		`{"role":"user","content":[{"text":"TEXT"}]}`, true, true,
	},
	{
		chat.Ollama, "messages",
		`{"role":"assistant","content":"","tool_calls":[{"function":{"name":"bash",` +
			`"arguments":{"command":"make ID"}}}]}`,
		`{"role":"tool","tool_name":"bash","content":"TEXT"}`,
		`{"role":"user","content":"TEXT"}`, true, false,
	},
}

// turns returns n turns from a number on, each a call with its result.
func (s *spelling) turns(from, n int) (msgs []string) {
	for i := from; i < from+n; i++ {
		id := fmt.Sprint("part", i)
		msgs = append(msgs, strings.ReplaceAll(s.call, "ID", id), strings.NewReplacer("ID", id,
			"TEXT", strings.Repeat(fmt.Sprint("built ", i, " "), 150)).Replace(s.result))
	}
	return msgs
}

// A call without a result does not keep the turns after it from being folded, unless the API lets
// its result come later. If the result comes after all, the call is sent again with it.
func TestACallWithoutAResultIsFolded(t *testing.T) {
	counter := tokenizer.New(tokenizer.Options{})
	policy := settings.Policy{Trigger: 2000, Target: 1000, MinMaskTokens: 1 << 20}
	for i := range spellings {
		s := &spellings[i]
		name := s.format.Name()
		says := func(text string) []string {
			return []string{strings.ReplaceAll(s.says, "TEXT", text)}
		}
		compacted := func(f *inFormat, msgs []string) string {
			in := `{"model":"m","` + s.list + `":[` + strings.Join(msgs, ",") + `]}`
			got, _ := f.compact(t, s.format, []byte(in))
			return string(got.Body)
		}
		talk := slices.Concat(says("Mend the oven."), s.turns(0, 2),
			[]string{strings.ReplaceAll(s.call, "ID", "lost")}, says("Stop, see the door first."),
			s.turns(2, 12))
		warm := newInFormat(counter, policy)
		call := strings.ReplaceAll(s.call, "ID", "lost")
		if got := compacted(warm, talk); strings.Contains(got, call) == s.folds {
			t.Errorf("%s: folded: %t: %s", name, !s.folds, got)
		}
		talk = append(talk,
			strings.NewReplacer("ID", "lost", "TEXT", "lost and found").Replace(s.result))
		for n := range 2 {
			msgs := slices.Concat(talk, s.turns(14, n))
			got := compacted(warm, msgs)
			if s.late && n == 0 && !strings.Contains(got, call) ||
				!strings.Contains(got, "lost and found") {
				t.Errorf("%s, a late result, %d turns later: %s", name, n, got)
			}
			if got != compacted(newInFormat(counter, policy), msgs) {
				t.Errorf("%s, a late result, %d turns later: an empty store gives other bytes",
					name, n)
			}
		}
	}
}
