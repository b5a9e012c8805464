package compactor

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// manyKinds is a conversation with all that is kept in part: long requests, requests after blocks
// and documents, with images, one after the other.
func manyKinds(n int) []string {
	block := strings.Repeat("A line that somebody else wrote. ", 20)
	msgs := []string{
		chattest.Says(view.User, "<environment_context><cwd>/srv</cwd></"+
			"environment_context>"), chattest.Says(view.Assistant, "Noted."),
		chattest.UserParts(chattest.Part("<system-reminder>Be brief.</"+
			"system-reminder>"), chattest.Part("Mend the "+
			"oven. "+strings.Repeat("It is old. ", 20))),
	}
	for i := range n {
		msgs = append(
			msgs,
			chattest.Call("c", "read", fmt.Sprintf(`{"path":"part%d.go"}`, i)),
			chattest.Result("c", strings.Repeat(fmt.Sprintf("line of part%d\n", i), 40)),
			chattest.Says(view.Assistant, fmt.Sprintf("Part %d is read.", i)),
		)
		switch i % 6 {
		case 0:
			msgs = append(
				msgs,
				chattest.Says(
					view.User,
					fmt.Sprintf(
						"Request %d: %s. END",
						i,
						strings.Repeat("one two \u00e9 three ", 120+i),
					),
				),
			)
		case 1:
			msgs = append(
				msgs,
				chattest.Says(
					view.User,
					fmt.Sprintf(
						"<document>\n%s%d\n</document>\nRequest %d: sum it up.",
						strings.Repeat(block, 5),
						i,
						i,
					),
				),
			)
		case 2:
			msgs = append(msgs, chattest.UserParts(chattest.Part(fmt.Sprintf("Request %d: look "+
				"at this.", i)), chattest.Image))
		case 3:
			msgs = append(msgs, chattest.Says(view.User, fmt.Sprintf("%d", i)))
		case 4:
			msgs = append(
				msgs,
				chattest.Says(view.User, "<task-notification>done</task-notification>"),
			)
		default:
			msgs = append(
				msgs,
				fmt.Sprintf(`{"content" : "Request %d\u003a go \/ on.", "role":"user"}`, i),
			)
		}
	}
	return msgs
}

// narrow is a window that does not have room for all messages of manyKinds.
var narrow = map[string]settings.Window{"gpt-5.1": {Tokens: 4000}}

// What is kept of the user's messages is the same at every turn, turn by turn and
// after the store is lost, and as long as the form does not change so is every byte.
func TestKeptMessagesAreStable(t *testing.T) {
	for name, policy := range policies() {
		policy.MaxTaskTokens, policy.Windows = 600, narrow
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			msgs := manyKinds(randomTurns(24))
			fresh := func() *Engine {
				return New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			}
			warm := fresh()
			folded, cut := 0, 0
			var last []byte
			turns(t, msgs, func(n int) {
				in := body(msgs[:n])
				res := warm.Compact(t.Context(), parse(t, in), "ann")
				if afresh := fresh().Compact(t.Context(), parse(t, in), "ann"); n%7 == 0 &&
					!bytes.Equal(res.Body, afresh.Body) {
					t.Errorf("turn %d: an empty store gives other bytes", n)
				}
				if !policy.StrictTurns {
					checkFormUpTo(t, in, res.Body, policy.MaxTaskTokens)
				}
				if got := recount(parse(t, res.Body)); got != res.Sent {
					t.Errorf("turn %d: says %d tokens, sent %d", n, res.Sent, got)
				}
				_, sent, _ := bytes.Cut(res.Body, []byte(`"messages": [`))
				sent, _, _ = bytes.Cut(sent, []byte(`], "temperature"`))
				if len(res.Made) == 0 && !bytes.HasPrefix(sent, last) {
					t.Errorf("turn %d: the prefix changed though nothing was made", n)
				}
				last = sent
				if res.Folded {
					folded++
				}
				cut += bytes.Count(res.Body, []byte("tokens left out here; ref="))
			})
			if folded == 0 || cut == 0 {
				t.Errorf("%d turns were folded, %d messages cut: nothing is shown", folded, cut)
			}
		})
	}
}

// What was cut is stored under the ref that its mark names.
func TestWhatIsCutIsStored(t *testing.T) {
	store := newMemStore()
	msgs := manyKinds(30)
	policy := small
	policy.MaxTaskTokens, policy.Windows = 600, narrow
	e := New(Options{Policy: policy, Counter: byBytes, Store: store})
	res := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
	was := map[string]bool{}
	for _, m := range parse(t, body(msgs)).Messages() {
		was[m.Text()] = true
	}
	found := 0
	for _, m := range parse(t, res.Body).Messages() {
		for rest := m.Text(); ; found++ {
			_, after, ok := strings.Cut(rest, "tokens left out here; ref=")
			if !ok {
				break
			}
			ref, _, _ := strings.Cut(after, "…]")
			if !was[string(store.originals[ref])] {
				t.Errorf("under %s stands %.60q", ref, store.originals[ref])
			}
			rest = after
		}
	}
	if found == 0 {
		t.Error("nothing was cut")
	}
}

// For a strict template, the replacement of folded turns is one message with every kept word, and
// no two user messages follow one another.
func TestKeptMessagesInStrictTemplates(t *testing.T) {
	policy := settings.Policy{
		Trigger:       3000,
		Target:        1500,
		RecordTokens:  900,
		StrictTurns:   true,
		MinMaskTokens: 1 << 20,
	}
	for name, end := range map[string][]string{
		"the user's turn follows": {chattest.Says(view.Assistant, "Done."),
			chattest.Says(view.User, "Thank you, now test it.")},
		"the assistant's turn " +
			"follows": {chattest.Call("z", "read", `{"path":"z.go"}`), chattest.Result("z", "z"),
			chattest.Says(view.Assistant, "Read.")},
	} {
		msgs := chattest.Follow([]string{chattest.Says(view.User, "Mend the \u00e9clair "+
			"oven.\nNever touch the till.")}, 30)
		for i := range 30 {
			msgs = append(
				msgs,
				chattest.Call("c", "read", fmt.Sprintf(`{"path":"part%d.go"}`, i)),
				chattest.Result("c", strings.Repeat("a line\n", 60)),
			)
		}
		msgs = append(msgs, end...)
		e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		folded := false
		turns(t, msgs, func(n int) {
			in := body(msgs[:n])
			res := e.Compact(t.Context(), parse(t, in), "ann")
			checkForm(t, in, res.Body)
			out := parse(t, res.Body)
			if got, was := usersInARow(out), usersInARow(parse(t, in)); got > was {
				t.Errorf("%s, turn %d: %d user messages after another, %d came", name, n, got, was)
			}
			if res.Folded {
				folded = true
				if got := len(recordsIn(out)); got != 1 {
					t.Errorf("%s, turn %d: records in %d messages", name, n, got)
				}
			}
		})
		if !folded {
			t.Errorf("%s: nothing was folded", name)
		}
	}
}
