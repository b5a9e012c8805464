package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/config"
	"killick/internal/e2e/proxytest"
	"killick/internal/fakeupstream"
	"killick/internal/recorded"
)

// shape is something that clients send or providers answer and that a proxy
// which knows only what it expects would lose.
type shape struct {
	fields   string   // of the request, beside its messages
	messages []string // what belongs together, once folded and once kept
	reply    string   // as the provider answers it
}

func call(id, name string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"` + name +
		`","arguments":"{ \"path\": \"a.go\" }"}}`
}

var shapes = map[string]shape{
	"several choices": {fields: `"n":3,`,
		reply: `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"}},{"index":1,` +
			`"message":{"role":"assistant","content":"b"}}]}`},
	"log-probs": {fields: `"logprobs":true,"top_logprobs":2,`,
		reply: `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},` +
			`"logprobs":{"content":[{"token":"a","logprob":-0.10,"bytes":[97],` +
			`"top_logprobs":[]}]}}]}`},
	"what agents ask for": {fields: `"max_completion_tokens":100,"store":false,` +
		`"reasoning_effort":"low","parallel_tool_calls":true,"seed":12345678901234567890,` +
		`"tools":[{"type":"function","function":{"name":"read","strict":true,` +
		`"parameters":{"type":"object","properties":{"path":{"type":"string","default":2.50}},` +
		`"additionalProperties":false}}}],`},
	"39 KB of tool schemas": {fields: `"tools":[` +
		strings.Repeat(`{"type":"function","function":{"name":"mcp_tool","description":"What it `+
			`does, told at length: 2.50.","parameters":{"type":"object"}}}, `, 280) +
		`{"type":"function","function":{"name":"read","parameters":{}}}],`},
	"legacy limits": {fields: `"max_tokens":100,"user":"u","logit_bias":{"50256":-100},`},
	"audio": {fields: `"modalities":["text","audio"],"audio":{"voice":"alloy","format":"wav"},`,
		messages: []string{`{"role":"user","content":[{"type":"text","text":"Listen to ` +
			`this."},{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}]}`,
			`{"role":"assistant","content":null,"audio":{"id":"audio_1"}}`},
		reply: `{"choices":[{"message":{"role":"assistant","content":null,` +
			`"audio":{"id":"audio_2","data":"UklGRg==","expires_at":1,"transcript":"half ` +
			`\ud83d"}}}]}`},
	"reasoning that providers want back": {
		messages: []string{`{"role":"assistant","reasoning_content":"I read it \ud83d ` +
			`first.","content":"","tool_calls":[` + call("r1", "read") + `]}`,
			`{"role":"tool","tool_call_id":"r1","content":"package a"}`,
			`{"role":"assistant","content":"Read.",` +
				`"reasoning_details":[{"type":"reasoning.encrypted","data":"c2lnbmVk",` +
				`"signature":"s=="}]}`},
		reply: `{"choices":[{"message":{"role":"assistant","reasoning_content":"2.50",` +
			`"content":"a"}}]}`},
	"refusals": {
		messages: []string{`{"role":"user","content":"Do that."}`,
			`{"role":"assistant","content":null,"refusal":"I cannot do that."}`,
			`{"role":"user","content":"Then do this."}`,
			`{"role":"assistant","content":"Done.","refusal":null,"annotations":[]}`},
		reply: `{"choices":[{"message":{"role":"assistant","content":null,"refusal":"No."},` +
			`"finish_reason":"stop"}]}`},
	"parallel calls": {
		messages: []string{`{"role":"assistant","content":null,"tool_calls":[` +
			call("p1", "read") + `, ` + call("p2", "list") + `]}`,
			`{"role":"tool","tool_call_id":"p2","content":"a.go"}`,
			`{"role":"tool","tool_call_id":"p1","name":"read","content":"package a"}`}},
	"custom tools": {
		messages: []string{`{"role":"assistant","content":null,"tool_calls":[{"id":"c1",` +
			`"type":"custom","custom":{"name":"patch","input":"*** Begin Patch"}}]}`,
			`{"role":"tool","tool_call_id":"c1","content":"applied"}`}},
	"legacy functions": {fields: `"functions":[{"name":"lookup","parameters":{}}],` +
		`"function_call":"auto",`,
		messages: []string{`{"role":"assistant","content":null,"function_call":{"name":"lookup",` +
			`"arguments":"{}"}}`, `{"role":"function","name":"lookup","content":"found"}`}},
	"developer messages": {messages: []string{`{"role":"developer",` +
		`"content":"Answer in French."}`}},
	"system messages in the middle": {messages: []string{`{"role":"system","content":"The ` +
		`clock says 12:00.","name":"clock"}`}},
	"tool messages with images": {messages: []string{
		`{"role":"assistant","content":null,"tool_calls":[` +
			call("i1", "shot") + `]}`,
		`{"role":"tool","tool_call_id":"i1","content":[{"type":"text","text":"the ` +
			`page"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo=",` +
			`"detail":"low"}}]}`}},
	"contents of every kind": {messages: []string{
		`{"role":"user","content":[{"type":"text","text":"In"},` +
			`{"type":"text","text":"parts."}]}`,
		`{"role":"assistant","content":[{"type":"text","text":"Good."}]}`,
		`{"role":"user","content":""}`, `{"role":"assistant","content":"x"}`}},
	"spellings": {messages: []string{`{ "content" : "\u0041\/ \ud83d ` +
		"\u2028" + `", "role":"user" , "x": 2.50}`, `{"role":"assistant","content":"\u00e9"}`}},
	"cache_control on messages": {messages: []string{`{"role":"user","content":"Mark ` +
		`this.","cache_control":{"type":"ephemeral"}}`,
		`{"role":"assistant","content":"Marked."}`}},
	"cache_control on parts": {messages: []string{
		`{"role":"user","content":[{"type":"text","text":"Mark ` +
			`this.","cache_control":{"type":"ephemeral","ttl":"1h"}}]}`,
		`{"role":"assistant","content":"Marked."}`}},
	"cache_control in calls": {messages: []string{
		`{"role":"assistant","content":null,` +
			`"tool_calls":[{"id":"m1","type":"function","function":{"name":"read",` +
			`"arguments":"{}"},` +
			`"cache_control":{"type":"ephemeral"}}]}`,
		`{"role":"tool","tool_call_id":"m1","content":"x"}`}},
	"two messages of the client's": {messages: []string{`{"role":"user",` +
		`"content":"<system-reminder>Be brief.</system-reminder>"}`,
		`{"role":"assistant","content":"Yes."}`}},
	"a file that has not changed": {messages: []string{
		`{"role":"assistant","content":null,"tool_calls":[` +
			call("u1", "read") + `]}`,
		`{"role":"tool","tool_call_id":"u1","content":"[File a.go unchanged since last read at ` +
			`step 4]"}`}},
	"errors that a provider streamed": {reply: "{\"error\": " +
		"{\"message\":\"overloaded\",\"code\":null, \"n\":2.50}}"},
}

// shapeBody is a conversation that has the shape early, then so many turns that
// they are over the trigger, then the shape again.
func shapeBody(s shape) []byte {
	msgs := []string{`{"role":"system","content":"You are an agent."}`,
		`{"role":"user","content":"Fix the build. Never touch the tests."}`}
	msgs = append(msgs, s.messages...)
	for i := range 12 {
		id := fmt.Sprint("filler", i)
		msgs = append(msgs, `{"role":"assistant","content":"Reading on.","tool_calls":[`+
			call(id, "read")+`]}`,
			`{"role":"tool","tool_call_id":"`+id+`","content":"`+
				strings.Repeat("a line of the file that says little ", 40)+`"}`)
	}
	msgs = append(msgs, `{"role":"assistant","content":"Half of it is done."}`,
		`{"role":"user","content":"Go on."}`)
	msgs = append(msgs, s.messages...)
	msgs = append(msgs, `{"role":"assistant","content":"Done."}`,
		`{"role":"user","content":"Thank you. What is left?"}`)
	return []byte(`{"model":"gpt-4o",` + s.fields + `"messages":[` + strings.Join(msgs, ", ") +
		`],"stream":false}`)
}

// TestEveryShapeSurvivesCompaction: what is kept is kept to the byte, what goes
// goes whole, the upstream accepts it, and its answer passes as it is.
func TestEveryShapeSurvivesCompaction(t *testing.T) {
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, strict := range []bool{false, true} {
				script := fakeupstream.Config{}
				if s.reply != "" {
					script.Fault = func(int, *http.Request) fakeupstream.Fault {
						return fakeupstream.Fault{Status: 200, Body: []byte(s.reply)}
					}
				}
				g := newGateway(t, script, func(c *config.Config) {
					c.Compaction.Trigger, c.Compaction.Target = 2000, 1000
					c.Upstream.StrictTurns = strict
				})
				in := shapeBody(s)
				f := g.chat(t, "key", in)
				if f.status != 200 || !f.did("summary") {
					t.Fatalf("got %d, %s: %.300s", f.status, f.header.Get("Killick-Action"),
						f.reply)
				}
				if err := fakeupstream.Check(f.body); err != nil {
					t.Errorf("the upstream would refuse it: %v", err)
				}
				for _, breach := range breaches(in, f.body) {
					t.Error(breach)
				}
				for _, raw := range s.messages {
					if !bytes.Contains(f.body, []byte(raw)) {
						t.Errorf("changed or lost: %s", raw)
					}
				}
				if was, is := bytes.Count(in, []byte(`"cache_control"`)),
					bytes.Count(f.body, []byte(`"cache_control"`)); is != was {
					t.Errorf("%d breakpoints of %d", is, was)
				}
				if s.reply != "" && string(f.reply) != s.reply {
					t.Errorf("the reply came as %s", f.reply)
				}
			}
		})
	}
}

// strictOn makes the upstream's templates strict.
func strictOn(trigger, target config.Amount) func(*config.Config) {
	return func(c *config.Config) {
		c.Compaction.Trigger, c.Compaction.Target = trigger, target
		c.Models = map[string]config.ModelSpec{
			"gpt-4*": {StrictTurns: config.OwnSwitch{Set: true, On: true}},
		}
	}
}

// TestStrictTemplatesTakeRealConversations: an upstream whose template wants
// turns to alternate takes what we make of every turn that it would have taken.
func TestStrictTemplatesTakeRealConversations(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	all := recorded.Conversations(t)
	turns, changed, refusedLoose := 0, 0, 0
	for n, c := range all {
		if n%strictSample() != 0 {
			continue
		}
		strict := newGateway(t, fakeupstream.Config{StrictTurns: true}, strictOn(4000, 1500))
		loose := newGateway(t, fakeupstream.Config{}, between(4000, 1500))
		for i := 1; i < len(c.Messages); i++ {
			in := bodyOf(&c, i)
			if !c.FromAssistant(i) || fakeupstream.CheckTurns(in) != nil ||
				i%strictStep != 0 && i < len(c.Messages)-2 {
				continue
			}
			f := strict.chat(t, "key", in)
			turns++
			if f.status != 200 {
				t.Errorf("%s, turn %d: %d: %.300s", c.ID, i, f.status, f.reply)
			}
			for _, breach := range breaches(in, f.body) {
				t.Errorf("%s, turn %d: %s", c.ID, i, breach)
			}
			if !bytes.Equal(in, f.body) {
				changed++
			}
			if _, sent := proxytest.Tokens(t, f.header.Get("Killick-Tokens")); sent != 0 &&
				sent != sum(first(countForUpstream(mustParse(t, f.body)))) {
				t.Errorf("%s, turn %d: reports that %d tokens were sent", c.ID, i, sent)
			}
			if fakeupstream.CheckTurns(loose.chat(t, "key", in).body) != nil {
				refusedLoose++
			}
		}
	}
	t.Logf("%d turns, %d changed, none refused; %d would be without strict turns", turns, changed,
		refusedLoose)
	if changed == 0 || refusedLoose == 0 && !testing.Short() {
		t.Errorf("%d turns were changed, and of those without strict turns %d would be refused: "+
			"nothing is shown", changed, refusedLoose)
	}
}

// strictStep is how many messages lie between the turns that are tried.
const strictStep = 2

// strictSample is which of the conversations are replayed: one of this many.
func strictSample() int {
	if testing.Short() {
		return 24
	}
	return 3
}

// TestTitleRequestOnTheSameKey: agents ask for a title of the conversation under
// the key that they work with, without tools. It is a conversation of its own.
func TestTitleRequestOnTheSameKey(t *testing.T) {
	g := newGateway(t, fakeupstream.Config{}, between(4000, 1500))
	in := shapeBody(shapes["parallel calls"])
	before := g.chat(t, "key", in)
	title := []byte(`{"model":"gpt-4o","messages":[{"role":"system","content":"Write a title of ` +
		`at most five words."},{"role":"user","content":"Fix the build. Never touch the tests."}]}`)
	if f := g.chat(t, "key", title); f.status != 200 || !bytes.Equal(f.body, title) {
		t.Errorf("got %d, forwarded %s", f.status, f.body)
	}
	if after := g.chat(t, "key", in); !bytes.Equal(after.body, before.body) || !after.did("reuse") {
		t.Errorf("the conversation reads otherwise after it: %s",
			after.header.Get("Killick-Action"))
	}
}

// TestShapesAreRequests holds the table to what it is for: the upstream takes
// each conversation as it is.
func TestShapesAreRequests(t *testing.T) {
	for name, s := range shapes {
		if err := fakeupstream.Check(shapeBody(s)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := chat.Parse(shapeBody(s)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
