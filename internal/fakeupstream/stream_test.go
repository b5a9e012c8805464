package fakeupstream

import (
	"strings"
	"testing"

	"killick/chat"
	"killick/rawjson"
	"killick/view"
)

// choice is what a client makes of the deltas of one choice.
type choice struct {
	content, reasoning, refusal, finish string
	calls                               []ToolCall
}

// assemble reads a stream as clients do, and fails on what they would trip on.
func assemble(t *testing.T, stream string) (choices map[int]*choice, usage []chat.Usage) {
	t.Helper()
	all := eventsOf(stream)
	if len(all) == 0 || all[len(all)-1] != "[DONE]" {
		t.Fatalf("the stream does not end in [DONE]: %q", stream)
	}
	choices = map[int]*choice{}
	for _, data := range all[:len(all)-1] {
		if got := value(data, "object").Text(); got != "chat.completion.chunk" {
			t.Fatalf("object %q in %s", got, data)
		}
		if u, ok := chat.ParseUsage([]byte(data)); ok {
			usage = append(usage, u)
		}
		for raw := range value(data, "choices").Elements() {
			index, _ := raw.Get("index").Int()
			if choices[index] == nil {
				if !raw.Get("delta").Get("role").Is("assistant") {
					t.Errorf("the first delta of choice %d has no role: %s", index, data)
				}
				choices[index] = &choice{}
			}
			choices[index].add(t, raw)
		}
	}
	return choices, usage
}

func (c *choice) add(t *testing.T, raw rawjson.Value) {
	t.Helper()
	delta := raw.Get("delta")
	c.content += delta.Get("content").Text()
	c.reasoning += delta.Get("reasoning_content").Text()
	c.refusal += delta.Get("refusal").Text()
	c.finish += raw.Get("finish_reason").Text()
	for call := range delta.Get("tool_calls").Elements() {
		i, ok := call.Get("index").Int()
		if !ok || i > len(c.calls) {
			t.Fatalf("call %s, want an index of at most %d", call, len(c.calls))
		}
		if i == len(c.calls) {
			c.calls = append(c.calls,
				ToolCall{ID: call.Get("id").Text(), Custom: call.Get("type").Is("custom")})
		}
		body, input := call.Get("function"), "arguments"
		if c.calls[i].Custom {
			body, input = call.Get("custom"), "input"
		}
		c.calls[i].Name += body.Get("name").Text()
		c.calls[i].Arguments += body.Get(input).Text()
	}
}

func TestStream(t *testing.T) {
	reply := Reply{
		Content:   "Grüße aus 東京 – ein längerer Satz, über viele Stücke verteilt.",
		Reasoning: "first I look around", Refusal: "",
		ToolCalls: []ToolCall{
			{ID: "call_a", Name: "read",
				Arguments: `{"path":"internal/ledger/posting.go","offset":120}`},
			{ID: "call_b", Name: "sql", Arguments: "select count(*) from postings", Custom: true},
		},
	}
	s := start(t, Config{Reply: func(*view.Request) Reply { return reply }})
	a := ask(t, s,
		`{"model":"gpt-5.1","stream":true,"n":2,"stream_options":{"include_usage":true},`+
			`"messages":[`+user+`]}`)
	if got := a.header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("content type %q", got)
	}
	choices, usage := assemble(t, a.body)
	if len(choices) != 2 {
		t.Fatalf("%d choices, want 2", len(choices))
	}
	for i, got := range choices {
		if got.content != reply.Content || got.reasoning != reply.Reasoning ||
			got.finish != "tool_calls" || len(got.calls) != 2 {
			t.Fatalf("choice %d: %+v, want %+v", i, got, reply)
		}
		for n, call := range got.calls {
			if call != reply.ToolCalls[n] {
				t.Errorf("choice %d: call %+v, want %+v", i, call, reply.ToolCalls[n])
			}
		}
	}
	all := eventsOf(a.body)
	last := all[len(all)-2]
	if len(usage) != 1 || usage[0].PromptTokens == 0 || string(value(last, "choices")) != "[]" ||
		value(last, "usage").Kind() != rawjson.Object {
		t.Errorf("usage %v, last chunk %s; want one usage, in the last chunk, without choices",
			usage, last)
	}
	if value(all[0], "usage").Kind() != rawjson.Null {
		t.Errorf("first chunk %s, want its usage null", all[0])
	}
	if len(all) < 20 {
		t.Errorf("%d events, want the reply in small pieces", len(all))
	}
}

func TestStreamWithoutUsage(t *testing.T) {
	s := start(t, Config{})
	for _, options := range []string{``, `"stream_options":{"include_usage":false},`} {
		a := ask(t, s, `{"model":"gpt-5.1","stream":true,`+options+`"messages":[`+user+`]}`)
		choices, usage := assemble(t, a.body)
		if len(usage) != 0 || strings.Contains(a.body, `"usage"`) {
			t.Errorf("with %q the stream has usage: %s", options, a.body)
		}
		if want := "This is the scripted answer to a request of 1 messages."; choices[0] == nil ||
			choices[0].content != want || choices[0].finish != "stop" {
			t.Errorf("got %+v, want %q", choices[0], want)
		}
	}
}

func TestStreamedRefusal(t *testing.T) {
	s := start(t, Config{Reply: func(*view.Request) Reply {
		return Reply{Refusal: "I will not do that for anybody."}
	}})
	choices, _ := assemble(t,
		ask(t, s, `{"model":"gpt-5.1","stream":true,"messages":[`+user+`]}`).body)
	if got := choices[0]; got.refusal != "I will not do that for anybody." || got.content != "" {
		t.Errorf("got %+v", got)
	}
}
