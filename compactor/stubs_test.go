package compactor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compaction"
	"killick/compactor/settings"
	"killick/internal/chattest"
	"killick/view"
)

// stubOf are the answers of agents that refer to an earlier result.
var stubOf = map[string]string{
	"Claude Code": "Wasted call — file unchanged since your last Read. Refer to that earlier " +
		"tool_result instead.",
	"Claude Code, " +
		"older": "File unchanged since last read. The content from the earlier Read tool_result " +
		"in this conversation is still current.",
	"Claude Code, in a " +
		"reminder": "<system-reminder>Wasted call — file unchanged since your last Read. Refer " +
		"to that earlier tool_result.</system-reminder>",
	"qwen-code": "[File a.go: unchanged since last read]",
}

const theFile = "a line of a.go that matters\n"

// rereading returns a conversation in which a file is read, its content is hidden after before
// other reads, and it is read again, which is answered with a stub. Then the conversation continues
// for after turns.
func rereading(stub string, before, after int) []string {
	read := func(id, path, text string) []string {
		return []string{
			chattest.Call(id, "Read", `{"file_path":"`+path+`"}`),
			chattest.Result(id, text),
		}
	}
	msgs := append(
		[]string{chattest.Says(view.User, "Compare the files.")},
		read("first", "a.go", strings.Repeat(theFile, 40))...)
	for i := range before {
		text := strings.Repeat("another line\n", 40)
		msgs = append(msgs, read(fmt.Sprint("b", i), fmt.Sprintf("b%d.go", i), text)...)
	}
	msgs = append(msgs, read("again", "a.go", stub)...)
	for i := range after {
		msgs = append(
			msgs,
			chattest.Says(view.Assistant, fmt.Sprintf("Seen, step %d.", i)),
			chattest.Says(view.User, fmt.Sprintf("Go on with %d.", i)),
		)
	}
	return msgs
}

// lastAnswer is the last message that answers the call of an id, nil if there is none.
func lastAnswer(r *view.Request, id string) (last *view.Message) {
	for i := range r.Messages() {
		if m := &r.Messages()[i]; m.ToolCallID() == id {
			last = m
		}
	}
	return last
}

// A repeated read that the agent answers with a stub shows the content that is hidden,
// and the same at every later turn.
func TestStubsAreAnsweredWithTheOriginal(t *testing.T) {
	all := policies()
	delete(all, "derived") // which hides nothing of a conversation as short as these
	all["narrow"] = settings.Policy{
		Trigger:       2000,
		Target:        1000,
		MinMaskTokens: 60,
		Windows:       map[string]settings.Window{"*": {Tokens: 2200, Reserve: 100}},
	}
	for agent, stub := range stubOf {
		for name, policy := range all {
			if agent != "qwen-code" && name != "small" && name != "narrow" {
				continue
			}
			msgs := rereading(stub, 12, randomTurns(30))
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			var answer []byte
			answered := 0
			turns(t, msgs, func(n int) {
				in := body(msgs[:n])
				res := e.Compact(t.Context(), parse(t, in), "ann")
				out := parse(t, res.Body)
				checkForm(t, in, res.Body)
				if got := recount(out); got != res.Sent {
					t.Errorf(
						"%s, %s, turn %d: says %d tokens, sent %d",
						agent,
						name,
						n,
						res.Sent,
						got,
					)
				}
				empty := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
				afresh := empty.Compact(t.Context(), parse(t, in), "ann")
				if !bytes.Equal(afresh.Body, res.Body) {
					t.Errorf("%s, %s, turn %d: an empty store gives other bytes", agent, name, n)
				}
				m := lastAnswer(out, "again")
				if m == nil || n < 27 {
					return
				}
				if answered++; m.Text() != strings.Repeat(theFile, 40) {
					t.Errorf("%s, %s, turn %d: it is answered with %.80q", agent, name, n, m.Text())
				}
				if answer != nil && !bytes.Equal(answer, m.Raw) {
					t.Errorf("%s, %s, turn %d: the answer changed", agent, name, n)
				}
				answer = m.Raw
			})
			if answered == 0 {
				t.Errorf("%s, %s: the repeated read was never sent", agent, name)
			}
		}
	}
}

func TestStubsThatStay(t *testing.T) {
	stub := stubOf["qwen-code"]
	hidden := rereading(stub, 12, 0)
	failed := slices.Clone(hidden)
	failed[2] = chattest.Result(
		"first",
		"Error: no such file, and nothing else of it is known. "+strings.Repeat("really ", 60),
	)
	other := slices.Clone(hidden)
	other[len(other)-2] = chattest.Call("again", "Read", `{"file_path":"never.go"}`)
	twice := append(
		slices.Clone(hidden),
		chattest.Call("more", "Read", `{"file_path":"a.go"}`),
		chattest.Result("more", stub),
	)
	long := slices.Clone(hidden)
	long[len(long)-1] = chattest.Result(
		"again",
		stub+strings.Repeat(" and the file says more than any stub does,", 20),
	)
	large := slices.Clone(hidden)
	large[2] = chattest.Result("first", strings.Repeat(theFile, 160))
	for name, c := range map[string]struct {
		msgs []string
		id   string
		of   settings.Policy
	}{
		"the original is still shown": {rereading(stub, 1, 0), "again", small},
		"and the request is large": {slices.Concat(hidden[:1], hidden[3:len(hidden)-2], hidden[1:3],
			hidden[len(hidden)-2:]), "again", small},
		"the window has no room": {large, "again",
			settings.Policy{Trigger: 2000, Target: 1000, MinMaskTokens: 60,
				Windows: map[string]settings.Window{"*": {Tokens: 1400, Reserve: 100}}}},
		"nothing was shown before": {other, "again", small},
		"it failed before":         {failed, "again", small},
		"it is shown by then":      {twice, "more", small},
		"it is no stub":            {long, "again", small},
	} {
		in := body(c.msgs)
		e := New(Options{Policy: c.of, Counter: byBytes, Store: newMemStore()})
		res := e.Compact(t.Context(), parse(t, in), "ann")
		checkForm(t, in, res.Body)
		was, is := lastAnswer(parse(t, in), c.id), lastAnswer(parse(t, res.Body), c.id)
		if !bytes.Equal(was.Raw, is.Raw) {
			t.Errorf("%s: it is answered with %.80q", name, is.Text())
		}
		if window := c.of.Windows["*"].Tokens; window > 0 && res.Sent > window {
			t.Errorf("%s: %d tokens are sent", name, res.Sent)
		}
	}
}

// An agent's own request for a summary is forwarded whole while it fits the window.
func TestCompactionRequestsAreForwardedWhole(t *testing.T) {
	for agent, text := range map[string]string{
		"Claude Code": "Your task is to create a detailed summary of the conversation so far, " +
			"paying close attention to the user's explicit requests.",
		"Claude Code, in front of it": "CRITICAL: Respond with TEXT ONLY. Do NOT call any " +
			"tools.\n\nYour task is to create a detailed summary of the conversation so far.",
		"Codex": "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff " +
			"summary for another LLM that will resume the task.",
		"gemini-cli": "First, reason in your scratchpad. Then, generate the <state_snapshot>.",
		"opencode":   "Provide a detailed prompt for continuing our conversation above.",
		"Grok Build": "Your task is to produce a faithful, concise summary of the conversation " +
			"so far so that a successor assistant can continue the work seamlessly.",
	} {
		msgs := append(
			rereading(stubOf["qwen-code"], 12, 0),
			chattest.Says(view.Assistant, "All compared."),
			chattest.Says(view.User, text),
		)
		in := body(msgs)
		for name, c := range map[string]struct {
			window int
			whole  bool
		}{
			"it fits": {20_000, true}, "it does not": {1600, false},
		} {
			policy := settings.Policy{
				Trigger:       1500,
				Target:        900,
				MinMaskTokens: 60,
				Windows:       map[string]settings.Window{"*": {Tokens: c.window, Reserve: 50}},
			}
			e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
			res := e.Compact(t.Context(), parse(t, in), "ann")
			if whole := bytes.Equal(res.Body, in); whole != c.whole ||
				whole != (res.Reason == compaction.ReasonOwn) ||
				!whole && !res.Folded && !res.Masked {
				t.Errorf("%s, %s: forwarded whole %t, %s", agent, name, whole, res.Reason)
			}
			checkForm(t, in, res.Body)
		}
		// A person who speaks of such a request is answered like any other.
		msgs[len(msgs)-1] = chattest.Says(view.User, "What does this mean: "+text)
		policy := settings.Policy{Trigger: 1500, Target: 900, MinMaskTokens: 60}
		e := New(Options{Policy: policy, Counter: byBytes, Store: newMemStore()})
		res := e.Compact(t.Context(), parse(t, body(msgs)), "ann")
		if res.Reason != compaction.ReasonCompacted {
			t.Errorf("%s, quoted by a person: %s", agent, res.Reason)
		}
	}
}
