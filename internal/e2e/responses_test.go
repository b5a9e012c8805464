package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"

	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakeresponses"
	"killick/internal/recorded"
	"killick/view"
)

// responsesPath is where the Responses API is spoken.
const responsesPath = "/v1/responses"

// responsesAgent is a client of the Responses API that sends all of the conversation at every
// turn, behind a proxy, to a model that says what was recorded.
type responsesAgent struct {
	url      string
	upstream *fakeresponses.Server
	next     fakeresponses.Reply // what the model answers
	fields   string              // leading members of requests
	input    []json.RawMessage
}

func newResponsesAgent(t *testing.T, fields string, set func(*config.Config)) *responsesAgent {
	t.Helper()
	a := &responsesAgent{fields: fields}
	a.upstream = fakeresponses.New(fakeresponses.Config{
		Record: true,
		Reply:  func(*fakeresponses.Request) fakeresponses.Reply { return a.next },
	})
	t.Cleanup(a.upstream.Close)
	c := balanced()
	c.Upstream.BaseURL = a.upstream.URL()
	c.Cache.InMemory = true
	set(&c)
	_, a.url = serving(t, c, slog.New(slog.DiscardHandler))
	return a
}

// responsesTurn is one request of the agent.
type responsesTurn struct {
	in, out   []byte // as it was sent, and as the upstream saw it
	raw, sent int    // tokens
	fakeresponses.Findings
}

// turn sends the conversation and adds the answer to it.
func (a *responsesAgent) turn(t *testing.T) responsesTurn {
	t.Helper()
	items, err := json.Marshal(a.input)
	if err != nil {
		t.Fatal(err)
	}
	turn := responsesTurn{in: []byte(a.fields + `,"input":` + string(items) + `}`)}
	a.upstream.Reset()
	f := ask(t, a.url+responsesPath, turn.in, "Authorization", "Bearer key", "Content-Type",
		"application/json")
	seen := a.upstream.Requests()
	if f.status != 200 || len(seen) != 1 {
		t.Fatalf("status %d, %d requests at the upstream: %.500s", f.status, len(seen), f.reply)
	}
	turn.out, turn.Findings = seen[0].Body, seen[0].Findings
	turn.raw, turn.sent = proxytest.Tokens(t, f.header.Get("Killick-Tokens"))
	var answer struct{ Output []json.RawMessage }
	if err := json.Unmarshal(f.reply, &answer); err != nil {
		t.Fatal(err)
	}
	a.input = append(a.input, answer.Output...)
	return turn
}

// hear adds a recorded message that is not the model's.
func (a *responsesAgent) hear(t *testing.T, m *view.Message) {
	t.Helper()
	item := map[string]string{"type": "message", "role": string(m.Role()), "content": m.Text()}
	if m.Role().Result() {
		item = map[string]string{"type": "function_call_output", "call_id": m.ToolCallID(),
			"output": m.Text()}
	}
	raw, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	a.input = append(a.input, raw)
}

// says is the answer of a model that says a recorded message.
func says(m *view.Message) fakeresponses.Reply {
	r := fakeresponses.Reply{Summary: "thinking", Content: m.Text()}
	for _, call := range m.ToolCalls() {
		r.Calls = append(r.Calls, fakeresponses.Call{ID: call.ID, Name: call.Name,
			Input: call.Arguments.Text()})
	}
	if r.Content == "" && len(r.Calls) == 0 {
		r.Content = "Done."
	}
	return r
}

// Real conversations, turn by turn, with reasoning before all that the model says, against an
// upstream that refuses broken pairs, reasoning without what follows it, and what it cannot
// decrypt. Stored items must come with their reasoning too.
func TestRealConversationsOverResponses(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	for _, store := range []bool{false, true} {
		t.Run(fmt.Sprintf("store %t", store), func(t *testing.T) {
			var all replayed
			step := 8
			switch {
			case testing.Short():
				step = 48
			case store:
				step = 16
			}
			for _, c := range recorded.Some(t, 0, step) {
				all.add(replayResponses(t, &c, store))
			}
			t.Logf("%d turns, %d past the trigger, %d of them changed; %d of %d tokens sent there",
				all.turns, all.over, all.changed, all.sent, all.raw)
			if all.changed == 0 {
				t.Error("nothing was changed: nothing is shown")
			}
		})
	}
}

func replayResponses(t *testing.T, c *recorded.Conversation, store bool) (r replayed) {
	t.Helper()
	trigger, target := config.Amount(2000), config.Amount(1000)
	if len(c.Messages) > 100 {
		trigger, target = 32_000, 16_000
	}
	a := newResponsesAgent(t, fmt.Sprintf(`{"model":"gpt-5.1","store":%t`, store),
		between(trigger, target))
	messages := c.Parse(t)
	for i := range messages {
		if messages[i].Role() != view.Assistant {
			a.hear(t, &messages[i])
			continue
		}
		if i == 0 {
			continue // nobody asked
		}
		a.next = says(&messages[i])
		turn := a.turn(t)
		r.turns++
		if turn.MovedReasoning+turn.MissingPhases > 0 {
			t.Fatalf("%s, message %d: %+v", c.ID, i, turn.Findings)
		}
		same := bytes.Equal(turn.in, turn.out)
		if turn.raw <= int(trigger) {
			if !same {
				t.Fatalf("%s, message %d: changed under the trigger", c.ID, i)
			}
			continue
		}
		r.over++
		r.raw += turn.raw
		r.sent += turn.sent
		if !same {
			r.changed++
		}
	}
	return r
}

// Reasoning that was made for another organization is left out, once, and nothing else.
func TestReasoningOfAnotherOrganization(t *testing.T) {
	a := newResponsesAgent(t, `{"model":"gpt-5.1","store":false`, func(*config.Config) {})
	a.next = fakeresponses.Reply{Summary: "thinking", Content: "I look.",
		Calls: []fakeresponses.Call{{ID: "c1", Name: "read", Input: "{}"}}}
	a.input = []json.RawMessage{json.RawMessage(`{"role":"user","content":"Fix it."}`)}
	a.turn(t)
	a.input = append(a.input,
		json.RawMessage(`{"type":"function_call_output","call_id":"c1","output":"package a"}`))
	items, err := json.Marshal(a.input)
	if err != nil {
		t.Fatal(err)
	}
	a.upstream.Reset()
	f := ask(t, a.url+responsesPath, []byte(a.fields+`,"input":`+string(items)+`}`),
		"Authorization", "Bearer other", "Content-Type", "application/json")
	seen := a.upstream.Requests()
	if f.status != 200 || len(seen) != 2 || seen[0].Status != 400 {
		t.Fatalf("status %d, %d requests at the upstream: %.500s", f.status, len(seen), f.reply)
	}
	left := append(append([]json.RawMessage{}, a.input[0]), a.input[2:]...)
	if items, err = json.Marshal(left); err != nil {
		t.Fatal(err)
	}
	if want := a.fields + `,"input":` + string(items) + `}`; string(seen[1].Body) != want {
		t.Errorf("sent again as\n%s\nwant\n%s", seen[1].Body, want)
	}
}
