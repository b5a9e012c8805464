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
	w, err := c.Summarize(t.Context(), client(s, prefix), span)
	if err != nil || w.Form != Structured {
		t.Fatalf("%+v, %v; want a structured summary", w, err)
	}
	if share := float64(w.Spent.CachedTokens) / float64(w.Spent.PromptTokens); share < 0.9 {
		t.Errorf("summary: %d of %d tokens were cached, %.1f%%, want at least 90%%", w.Spent.CachedTokens, w.Spent.PromptTokens, 100*share)
	}
	if !strings.Contains(w.Prose.Intent, "Never touch the file migrations/0042.sql") || len(w.Prose.Decisions) != 49 {
		t.Errorf("the rule or decisions are missing: %q, %d decisions, want 49", w.Prose.Intent, len(w.Prose.Decisions))
	}
	questions, spent, err := c.Questions(t.Context(), client(s, prefix), span.Messages, 3)
	if err != nil || len(questions) != 3 {
		t.Fatalf("%+v, %v; want three questions", questions, err)
	}
	if share := float64(spent.CachedTokens) / float64(spent.PromptTokens); share < 0.9 {
		t.Errorf("questions: %d of %d tokens were cached, %.1f%%, want at least 90%%", spent.CachedTokens, spent.PromptTokens, 100*share)
	}
	answers, _, err := c.Answers(t.Context(), client(s, prefix), w.Prose.Intent, questions)
	if err != nil || len(answers) != 3 {
		t.Fatalf("%v, %v; want three answers", answers, err)
	}
	last := s.Requests()[len(s.Requests())-1]
	if strings.Contains(string(last.Body), "line of output") || !strings.Contains(string(last.Body), `"model":"gpt-5.1"`) || last.Header.Get("Authorization") != "Bearer client" {
		t.Errorf("answers are to come from the summary alone, of the client's model: %s", last.Body)
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
			s := start(t, upstreamtest.Config{Reply: answering(says(good))})
			c := New(Options{Transport: transport(t)})
			prefix := body(test.fields, conversation...)
			was := string(prefix)
			if _, err := c.Summarize(t.Context(), client(s, prefix), Span{}); err != nil {
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
	s := start(t, upstreamtest.Config{Reply: answering(says(good))})
	c := New(Options{Transport: transport(t)})
	prefix := body(`"response_format":{"type":"json_schema","json_schema":{"name":"theirs","schema":{}}},`, message("user", "hello"))
	if _, err := c.Summarize(t.Context(), client(s, prefix), Span{}); err != nil {
		t.Fatal(err)
	}
	format := chat.Value(s.Requests()[0].Body).Get("response_format").Get("json_schema")
	if !format.Get("name").Is("summary") || string(format.Get("strict")) != "true" {
		t.Errorf("the response format is %s, want ours: no other answer could be given", format)
	}
}

func TestAppendForbidsCallsToAModelThatCalls(t *testing.T) {
	s := start(t, upstreamtest.Config{Reply: answering(upstreamtest.Reply{ToolCalls: []upstreamtest.ToolCall{{Name: "write_file", Arguments: "{}"}}}, says(good))})
	c := New(Options{Transport: transport(t)})
	w, err := c.Summarize(t.Context(), client(s, body(tools, message("user", "hello"))), Span{})
	if err != nil || w.Form != Corrected || w.Spent.Calls != 2 {
		t.Fatalf("%+v, %v; want a corrected summary after two calls", w, err)
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
	w, err := c.Summarize(t.Context(), client(s, body(tools, forwarded...)), Span{Messages: span, SoFar: "the record"})
	if err != nil || len(w.Prose.Decisions) != 3 || w.Prose.Decisions[2].Supersedes != "mutex2" || strings.Contains(w.Prose.Intent, "Never") {
		t.Errorf("%+v, %v; want the record of three turns alone", w.Prose, err)
	}
	sent := string(s.Requests()[0].Body)
	for _, want := range []string{"recorded already", `to the last: assistant \"I decided to use channel2`} {
		if !strings.Contains(sent, want) {
			t.Errorf("the instruction lacks %q", want)
		}
	}
}
