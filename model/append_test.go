package model

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/upstreamtest"
)

// post sends a client's own request, as the proxy does.
func post(t *testing.T, s *upstreamtest.Server, tr http.RoundTripper, raw []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/chat/completions", strings.NewReader(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer client")
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the client's own request: status %d, want 200", resp.StatusCode)
	}
}

// client is the way of a conversation to its own model.
func client(s *upstreamtest.Server, prefix []byte) Call {
	return Call{Prefix: prefix, URL: s.URL() + "/chat/completions", Header: http.Header{"Authorization": {"Bearer client"}}}
}

func TestAppendIsNearlyAllCacheHits(t *testing.T) {
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}})
	tr := transport(t)
	c := New(Options{Transport: tr})
	conversation := session(120)
	prefix := body(tools+`"stream":true,"stream_options":{"include_usage":true},"tool_choice":"auto","reasoning_effort":"low","max_tokens":17,`, conversation...)
	post(t, s, tr, prefix)

	span := Span{Messages: messages(t, conversation[1:100]...)}
	w, err := c.Statements(t.Context(), client(s, prefix), span)
	if err != nil || w.Form != Structured {
		t.Fatalf("%+v, %v; want structured statements", w, err)
	}
	if share := float64(w.Spent.CachedTokens) / float64(w.Spent.PromptTokens); share < 0.9 {
		t.Errorf("statements: %d of %d tokens were cached, %.1f%%, want at least 90%%", w.Spent.CachedTokens, w.Spent.PromptTokens, 100*share)
	}
	if len(w.Statements) != 50 || w.Statements[48].Messages != nil {
		t.Errorf("%d statements, the last but one is %+v; want 50 without numbers", len(w.Statements), w.Statements[48])
	}
	questions, spent, err := c.Questions(t.Context(), client(s, prefix), span, 3)
	if err != nil || len(questions) != 3 {
		t.Fatalf("%+v, %v; want three questions", questions, err)
	}
	if share := float64(spent.CachedTokens) / float64(spent.PromptTokens); share < 0.9 {
		t.Errorf("questions: %d of %d tokens were cached, %.1f%%, want at least 90%%", spent.CachedTokens, spent.PromptTokens, 100*share)
	}
	answers, _, err := c.Answers(t.Context(), client(s, prefix), Record{Written: w.Statements[0].Text}, questions)
	if err != nil || len(answers) != 3 {
		t.Fatalf("%v, %v; want three answers", answers, err)
	}
	last := s.Requests()[len(s.Requests())-1]
	if strings.Contains(string(last.Body), "line of output") || !strings.Contains(string(last.Body), `"model":"gpt-5.1"`) || last.Header.Get("Authorization") != "Bearer client" {
		t.Errorf("answers are to come from the record alone, of the client's model: %s", last.Body)
	}
}

func TestAppendLeavesTheClientsBytes(t *testing.T) {
	conversation := []string{message("system", "Be brief."), `{"content":"caf\u00e9 \ud83d","role":"user","x": 2.50}`}
	for _, test := range []struct {
		name, fields, want string
	}{
		{"plain", `"temperature" : 1e0, `, `"temperature" : 1e0, `},
		{"a stream", `"stream":true , "stream_options":{"include_usage":true},`, `"stream":false,`},
		{"bounds", `"max_tokens": 5,`, `"max_tokens": 8192,`},
		{"newer bounds", `"max_completion_tokens": 5,`, `"max_completion_tokens": 8192,`},
		{"choices, stops and probabilities", `"n":3,"stop":["}"],"logprobs":true,"top_logprobs":2,"logit_bias":{"1":-100},"a":1,`, `"a":1,`},
		{"speech", `"modalities":["text","audio"],"audio":{"voice":"alloy"},"a":1,`, `"a":1,`},
		{"other grammars", `"guided_regex":"x","grammar":"y","a":1,`, `"a":1,`},
		{"tools", tools + `"tool_choice":"auto","parallel_tool_calls":false,`, tools + `"tool_choice":"auto","parallel_tool_calls":false,`},
		{"a forced call", tools + `"tool_choice":"required",`, tools + `"tool_choice":"auto",`},
		{"a certain call", tools + `"tool_choice": {"type":"function","function":{"name":"write_file"}},`, tools + `"tool_choice": "auto",`},
		{"a choice among some", tools + `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}},`, tools + `"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[]}},`},
		{"a forced call of old", `"functions":[{"name":"f"}],"function_call":{"name":"f"},`, `"functions":[{"name":"f"}],"function_call":"auto",`},
		{"JSON", `"response_format":{"type":"json_object"},`, `"response_format":{"type":"json_object"},`},
		{"a cache key", `"prompt_cache_key":"k","reasoning_effort":"high","user":"u","store":true,`, `"prompt_cache_key":"k","reasoning_effort":"high","user":"u","store":true,`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, upstreamtest.Config{Reply: answering(says(goodAppend))})
			c := New(Options{Transport: transport(t)})
			prefix := body(test.fields, conversation...)
			was := string(prefix)
			if _, err := c.Statements(t.Context(), client(s, prefix), Span{}); err != nil {
				t.Fatal(err)
			}
			sent := string(s.Requests()[0].Body)
			got, found := strings.CutPrefix(sent, `{ "model" : "gpt-5.1",`+test.want+` "messages":[ `+strings.Join(conversation, " , ")+`,{"role":"user","content":`)
			if !found || was != string(prefix) {
				t.Fatalf("sent %s, want %s kept", sent, test.want)
			}
			_, rest, _ := strings.Cut(got, `\n"}`)
			want := ` ],"max_completion_tokens":8192,"stream":false }` + "\n"
			if strings.Contains(test.want, "max_") {
				want = ` ],"stream":false }` + "\n"
			}
			if strings.Contains(test.want, `"stream"`) {
				want = ` ],"max_completion_tokens":8192 }` + "\n"
			}
			if rest != want {
				t.Errorf("behind the instruction stands %q, want %q", rest, want)
			}
		})
	}
}

func TestAppendReplacesAForeignSchema(t *testing.T) {
	s := start(t, upstreamtest.Config{Reply: answering(says(goodAppend))})
	c := New(Options{Transport: transport(t)})
	prefix := body(`"response_format":{"type":"json_schema","json_schema":{"name":"theirs","schema":{}}},`, message("user", "hello"))
	if _, err := c.Statements(t.Context(), client(s, prefix), Span{}); err != nil {
		t.Fatal(err)
	}
	format := chat.Value(s.Requests()[0].Body).Get("response_format").Get("json_schema")
	if !format.Get("name").Is("statements_append") || string(format.Get("strict")) != "true" {
		t.Errorf("the response format is %s, want ours: no other answer could be given", format)
	}
}

func TestAppendForbidsCallsToAModelThatCalls(t *testing.T) {
	s := start(t, upstreamtest.Config{Reply: answering(upstreamtest.Reply{ToolCalls: []upstreamtest.ToolCall{{Name: "write_file", Arguments: "{}"}}}, says(goodAppend))})
	c := New(Options{Transport: transport(t)})
	w, err := c.Statements(t.Context(), client(s, body(tools, message("user", "hello"))), Span{})
	if err != nil || w.Form != Corrected || w.Spent.Calls != 2 {
		t.Fatalf("%+v, %v; want corrected statements after two calls", w, err)
	}
	for i, want := range []string{"", "none"} {
		if got := chat.Value(s.Requests()[i].Body).Get("tool_choice").Text(); got != want {
			t.Errorf("request %d: tool_choice %q, want %q", i+1, got, want)
		}
	}
}

// The turns are named by messages that stand in the forwarded body as they came,
// also where outputs at their ends were masked.
func TestAppendNamesTheTurns(t *testing.T) {
	conversation := session(6)
	span := messages(t, conversation[2:8]...) // three calls and their outputs
	forwarded := slices.Clone(conversation)
	for i := range forwarded {
		if strings.HasPrefix(forwarded[i], `{"role":"tool"`) {
			forwarded[i] = forwarded[i][:strings.Index(forwarded[i], `"content"`)] + `"content":"[masked]"}`
		}
	}
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}})
	c := New(Options{Transport: transport(t)})
	w, err := c.Statements(t.Context(), client(s, body(tools, forwarded...)), Span{Messages: span, SoFar: "the record"})
	decisions := 0
	for _, st := range w.Statements {
		if st.Section == "decision" {
			decisions++
		}
	}
	if err != nil || decisions != 3 {
		t.Errorf("%+v, %v; want the decisions of three turns alone", w.Statements, err)
	}
	sent := string(s.Requests()[0].Body)
	for _, want := range []string{"recorded already", `to the last: assistant \"I decided to use channel2`} {
		if !strings.Contains(sent, want) {
			t.Errorf("the instruction lacks %q", want)
		}
	}
}
