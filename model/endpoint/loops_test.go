package endpoint

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/internal/fakemessages"
	"killick/internal/fakeresponses"
	"killick/messages"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

// asked is the text of our own requests in these tests.
const asked = "Hello?"

// loop is an agent in the middle of a loop of tool calls, at a scripted upstream.
type loop struct {
	url    string
	header http.Header
	format view.Format
	body   []byte // that was answered last
}

// client is the credentials of the agents.
func client() http.Header {
	return http.Header{"X-Api-Key": {"client"}, "Anthropic-Version": {"2023-06-01"}}
}

// request is our question after the agent's last body.
func (l *loop) request(t *testing.T) Request {
	t.Helper()
	r := hello(t, "http://model.example")
	var err error
	if r.Target, err = NewTarget(l.url, "m", l.header, false); err != nil {
		t.Fatal(err)
	}
	r.Target.Format, r.Rules = l.format.Name(), ""
	if r.Prefix, err = view.Parse(l.format, l.body); err != nil {
		t.Fatal(err)
	}
	r.Target.Model = r.Prefix.Model()
	return r
}

// post sends the agent's own request, and returns the reply.
func (l *loop) post(t *testing.T, tr http.RoundTripper, body string) rawjson.Value {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, l.url, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = l.header.Clone()
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("the agent's own request: status %d, %v: %s", resp.StatusCode, err, reply)
	}
	l.body = []byte(body)
	return rawjson.Value(reply)
}

// output is what the nth call of the agents returns.
func output(n int) string { return strings.Repeat(fmt.Sprintf("line of output %d\n", n), 60) }

// toolLoop has a model that thinks call a tool this many times. members are additional members of
// the agent's body.
func toolLoop(
	t *testing.T, s *fakemessages.Server, tr http.RoundTripper, members string, calls int,
) *loop {
	t.Helper()
	const mark = `,"cache_control":{"type":"ephemeral"}`
	l := &loop{url: s.URL() + "/v1/messages", header: client(), format: messages.Format}
	head := `{` + members + `,"system":[{"type":"text","text":` + quoted(output(0)) + mark +
		`}],"tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":[`
	list := `{"role":"user","content":"Find the fault."}`
	for n := range calls {
		reply := l.post(t, tr, head+list+"]}")
		list += `,{"role":"assistant","content":` + string(reply.Get("content")) + `}`
		for block := range reply.Get("content").Elements() {
			if block.Get("type").Is("tool_use") {
				last := ""
				if n == calls-1 {
					last = mark
				}
				list += `,{"role":"user","content":[{"type":"tool_result","tool_use_id":` +
					string(block.Get("id")) + `,"content":` + quoted(output(n)) + last + `}]}`
			}
		}
	}
	l.post(t, tr, head+list+"]}")
	return l
}

func quoted(text string) string { return string(rawjson.AppendQuoted(nil, text)) }

// callsUntilAsked is a model that calls tools until our own request, which it answers as the test
// says.
func callsUntilAsked(
	then func(*fakemessages.Request) fakemessages.Reply,
) func(*fakemessages.Request) fakemessages.Reply {
	return func(r *fakemessages.Request) fakemessages.Reply {
		last := r.Messages[len(r.Messages)-1]
		if last.Blocks[0].Text == "" {
			return fakemessages.Reply{Blocks: []fakemessages.Content{
				fakemessages.Call("", "read", `{"path":"a.go"}`)}}
		}
		if last.Blocks[0].Text != "Find the fault." {
			return then(r)
		}
		return fakemessages.Reply{Blocks: []fakemessages.Content{
			fakemessages.Text("I will read."), fakemessages.Call("", "read", `{"path":"a.go"}`)}}
	}
}

func saysHello(*fakemessages.Request) fakemessages.Reply {
	return fakemessages.Reply{Blocks: []fakemessages.Content{
		fakemessages.Text("Hel"), fakemessages.Text("lo.")}}
}

// Our question can follow a loop of tool calls with thinking: nothing is refused, the thinking
// stays valid, and everything before the question is read from the cache, also when it is asked
// again.
func TestMessagesInARunningLoop(t *testing.T) {
	for name, members := range map[string]string{
		"checks what is before thinking": `"model":"claude-opus-5-5","max_tokens":32000,` +
			`"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`,
		"thinks by hand": `"model":"claude-sonnet-4-5","max_tokens":32000,` +
			`"thinking":{"type":"enabled","budget_tokens":10000}`,
		"thinks by hand up to the bound": `"model":"claude-sonnet-4-5","max_tokens":10500,` +
			`"thinking":{"type":"enabled","budget_tokens":10000}`,
		"does not think": `"model":"claude-sonnet-4-5","max_tokens":5`,
	} {
		t.Run(name, func(t *testing.T) {
			s := fakemessages.New(fakemessages.Config{
				Record: true, Reply: callsUntilAsked(saysHello), Keys: []string{"client"}})
			t.Cleanup(s.Close)
			tr := &http.Transport{}
			t.Cleanup(tr.CloseIdleConnections)
			l := toolLoop(t, s, tr, members, 4)
			c := New(Options{Transport: tr, Prices: func(string) Price { return Price{Input: 1} }})
			r := l.request(t)
			for again := range 2 {
				var spent Usage
				r.Report = func(e Exchange) { spent.Add(e.Usage) }
				reply, err := c.Ask(t.Context(), r)
				if err != nil || reply != (Reply{Text: "Hello."}) {
					t.Fatalf("%+v, %v; want the text of all blocks but thinking", reply, err)
				}
				all := s.Requests()
				before, ours := all[len(all)-2], all[len(all)-1]
				// After another turn of the model's, older ones do not see the loop's thinking.
				stripped := again > 0 && strings.Contains(members, "enabled")
				want, got := before.Usage.Prompt(), ours.Usage.CacheReadTokens
				if got < want-100 && !stripped {
					t.Errorf("%d tokens were cached of the %d that were sent before", got, want)
				}
				if ours.Dropped != 0 || spent.Calls != 1 || spent.Cost <= 0 ||
					spent.PromptTokens != ours.Usage.Prompt() ||
					spent.CachedTokens != ours.Usage.CacheReadTokens ||
					spent.CompletionTokens != ours.Usage.OutputTokens {
					t.Errorf("spent %+v, the upstream counted %+v", spent, ours.Found)
				}
				// The model's answer and another question after it, as in a corrective retry.
				r.Messages, r.ForbidTools =
					[]Message{User(asked), Assistant("Hm."), User("Again?")}, false
			}
		})
	}
}

// A model that calls a tool instead of answering is asked again, without permission to call one:
// only then tool_choice changes.
func TestMessagesForbidTools(t *testing.T) {
	choice := func(r *fakemessages.Request) rawjson.Value {
		return rawjson.Value(r.Body).Get("tool_choice")
	}
	s := fakemessages.New(fakemessages.Config{Reply: callsUntilAsked(
		func(r *fakemessages.Request) fakemessages.Reply {
			if choice(r).Get("type").Is("none") {
				return saysHello(r)
			}
			if choice(r) != nil {
				t.Errorf("tool_choice is %s, want the client's, which has none", choice(r))
			}
			return fakemessages.Reply{Blocks: []fakemessages.Content{
				fakemessages.Call("", "read", `{}`)}}
		})})
	t.Cleanup(s.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	l := toolLoop(t, s, tr, `"model":"claude-opus-5-5","max_tokens":32000`, 2)
	r := l.request(t)
	c := New(Options{Transport: tr})
	if got, err := c.Ask(t.Context(), r); err != nil || got != (Reply{CalledTool: true}) {
		t.Fatalf("%+v, %v; want that it called a tool", got, err)
	}
	r.ForbidTools = true
	if got, err := c.Ask(t.Context(), r); err != nil || got != (Reply{Text: "Hello."}) {
		t.Fatalf("%+v, %v; want an answer", got, err)
	}
}

// itemLoop is toolLoop for the Responses API.
func itemLoop(
	t *testing.T, s *fakeresponses.Server, tr http.RoundTripper, members string, calls int,
) *loop {
	t.Helper()
	l := &loop{url: s.URL() + "/responses", format: responses.Format,
		header: http.Header{"Authorization": {"Bearer client"}}}
	head := `{"model":"gpt-5.6",` + members + `"instructions":` + quoted(output(0)) +
		`,"tools":[{"type":"function","name":"read","parameters":{"type":"object"}}],"input":[`
	list := `{"type":"message","role":"user","content":"Find the fault."}`
	for n := range calls {
		reply := l.post(t, tr, head+list+"]}")
		for item := range reply.Get("output").Elements() {
			list += "," + string(item)
			if item.Get("type").Is("function_call") {
				list += `,{"type":"function_call_output","call_id":` + string(item.Get("call_id")) +
					`,"output":` + quoted(output(n)) + `}`
			}
		}
	}
	l.post(t, tr, head+list+"]}")
	return l
}

// callsItems is callsUntilAsked for the Responses API.
func callsItems(
	then func(*fakeresponses.Request) fakeresponses.Reply,
) func(*fakeresponses.Request) fakeresponses.Reply {
	return func(r *fakeresponses.Request) fakeresponses.Reply {
		last := r.Last()
		if last.Text("type") != "message" || last.Text("content") != "" {
			return fakeresponses.Reply{Content: "I will read.", Calls: []fakeresponses.Call{
				{Name: "read", Input: `{"path":"a.go"}`}}}
		}
		return then(r)
	}
}

// Our question can follow a loop of tool calls with encrypted reasoning, for every kind of cache.
func TestResponsesInARunningLoop(t *testing.T) {
	for name, breakpoints := range map[string]bool{"prefixes": false, "breakpoints": true} {
		t.Run(name, func(t *testing.T) {
			s := fakeresponses.New(fakeresponses.Config{
				Record: true, Keys: []string{"client"}, Breakpoints: breakpoints,
				Reply: callsItems(func(*fakeresponses.Request) fakeresponses.Reply {
					return fakeresponses.Reply{Content: "Hello.", Summary: "I thought."}
				})})
			t.Cleanup(s.Close)
			tr := &http.Transport{}
			t.Cleanup(tr.CloseIdleConnections)
			l := itemLoop(t, s, tr, `"store":false,"include":["reasoning.encrypted_content"],`+
				`"prompt_cache_key":"k","reasoning":{"effort":"high"},`, 5)
			c := New(Options{Transport: tr, Prices: func(string) Price { return Price{Input: 1} }})
			r := l.request(t)
			for range 2 {
				var spent Usage
				r.Report = func(e Exchange) { spent.Add(e.Usage) }
				got, err := c.Ask(t.Context(), r)
				if err != nil || got != (Reply{Text: "Hello."}) {
					t.Fatalf("%+v, %v; want the text without reasoning", got, err)
				}
				all := s.Requests()
				before, ours := all[len(all)-2].Usage, all[len(all)-1].Usage
				if ours.Cached < before.Input-256 {
					t.Errorf("%d tokens were cached of the %d that were sent before",
						ours.Cached, before.Input)
				}
				if spent.Calls != 1 || spent.Cost <= 0 || spent.PromptTokens != ours.Input ||
					spent.CachedTokens != ours.Cached || spent.CompletionTokens != ours.Output {
					t.Errorf("spent %+v, the upstream counted %+v", spent, ours)
				}
				r.Messages = []Message{User(asked), Assistant("Hm."), User("Again?")}
			}
		})
	}
}

// Standalone requests follow the rules of their format.
func TestStandaloneInEachFormat(t *testing.T) {
	m := fakemessages.New(fakemessages.Config{Keys: []string{"client"}})
	t.Cleanup(m.Close)
	o := fakeresponses.New(fakeresponses.Config{Keys: []string{"client"}})
	t.Cleanup(o.Close)
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	for format, l := range map[view.Format]*loop{
		messages.Format:  {url: m.URL() + "/v1/messages"},
		responses.Format: {url: o.URL() + "/responses"},
	} {
		// The operator's key replaces the client's.
		target, err := NewTarget(l.url, "claude-opus-5-5", KeyHeader(format.Name(), "client"), true)
		if err != nil {
			t.Fatal(err)
		}
		r := hello(t, "http://model.example")
		r.Target, r.Target.Format = target, format.Name()
		got, err := New(Options{Transport: tr}).Ask(t.Context(), r)
		if err != nil || !strings.HasPrefix(got.Text, "This is the scripted answer") {
			t.Errorf("%s: %+v, %v; want the scripted answer", format.Name(), got, err)
		}
	}
}
