package model

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"killick/internal/chattest"
	"killick/internal/fakeupstream"
)

// post sends a client's own request, as the proxy does.
func post(t *testing.T, s *fakeupstream.Server, tr http.RoundTripper, raw []byte) {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, s.URL()+"/chat/completions", bytes.NewReader(raw))
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

func TestAppendIsNearlyAllCacheHits(t *testing.T) {
	s := start(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{}})
	tr := transport(t)
	c := New(Options{Transport: tr})
	conversation := session(120)
	prefix := body(tools+`"stream":true,"stream_options":{"include_usage":true},`+
		`"tool_choice":"auto","reasoning_effort":"low","max_tokens":17,`, conversation...)
	post(t, s, tr, prefix)
	call := ofTheClient(s, prefix)
	cached := func(what string, spent Usage) {
		t.Helper()
		if share := float64(spent.CachedTokens) / float64(spent.PromptTokens); share < 0.9 {
			t.Errorf("%s: %d of %d tokens were cached, %.1f%%, want at least 90%%",
				what, spent.CachedTokens, spent.PromptTokens, 100*share)
		}
	}

	span := Span{Messages: chattest.Messages(t, conversation[1:100]...)}
	w, err := c.Statements(t.Context(), call, span)
	if err != nil || w.Form != Structured {
		t.Fatalf("%+v, %v; want structured statements", w, err)
	}
	cached("statements", w.Usage)
	if len(w.Statements) != 50 || w.Statements[48].Messages != nil {
		t.Errorf("%d statements, the last but one is %+v; want 50 without numbers",
			len(w.Statements), w.Statements[48])
	}
	questions, spent, err := c.Questions(t.Context(), call, span, 3)
	if err != nil || len(questions) != 3 {
		t.Fatalf("%+v, %v; want three questions", questions, err)
	}
	cached("questions", spent)
	record := Record{Written: w.Statements[0].Text}
	answers, _, err := c.Answers(t.Context(), call, record, questions)
	if err != nil || len(answers) != 3 {
		t.Fatalf("%v, %v; want three answers", answers, err)
	}
	last := s.Requests()[len(s.Requests())-1]
	if sent := string(last.Body); strings.Contains(sent, "line of output") ||
		!strings.Contains(sent, `"model":"gpt-5.1"`) ||
		last.Header.Get("Authorization") != "Bearer client" {
		t.Errorf("answers are to come from the record alone, of the client's model: %s", sent)
	}
}

// A model that calls a tool instead of answering is asked again, without permission to call one. If
// it answers and calls a tool, the answer counts.
func TestAppendForbidsCallsToAModelThatCalls(t *testing.T) {
	calls := []fakeupstream.ToolCall{{Name: "write_file", Arguments: "{}"}}
	for text, tries := range map[string]int{"": 2, "I'll look at the file.": 2, goodAppend: 1} {
		s := start(t, replying(fakeupstream.Reply{Content: text, ToolCalls: calls},
			fakeupstream.Reply{Content: goodAppend}))
		c := New(Options{Transport: transport(t)})
		call := ofTheClient(s, body(tools, message("user", "hello")))
		w, err := c.Statements(t.Context(), call, Span{})
		if err != nil || (w.Form == Corrected) != (tries == 2) || w.Usage.Calls != tries {
			t.Fatalf("%q: %+v, %v; want statements after %d calls", text, w, err, tries)
		}
		for i, want := range []bool{false, true}[:tries] {
			sent := string(s.Requests()[i].Body)
			if strings.Contains(sent, `"tool_choice":"none"`) != want {
				t.Errorf("request %d forbids tools: %v, want %v", i+1, !want, want)
			}
		}
	}
}

// The turns are identified by messages that are unchanged in the forwarded body, even if the
// outputs at their ends were masked.
func TestAppendNamesTheTurns(t *testing.T) {
	conversation := session(6)
	span := chattest.Messages(t, conversation[2:8]...) // three calls and their outputs
	forwarded := slices.Clone(conversation)
	for i, text := range forwarded {
		if strings.HasPrefix(text, `{"role":"tool"`) {
			head, _, _ := strings.Cut(text, `"content"`)
			forwarded[i] = head + `"content":"[masked]"}`
		}
	}
	s := start(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{}})
	c := New(Options{Transport: transport(t)})
	call := ofTheClient(s, body(tools, forwarded...))
	w, err := c.Statements(t.Context(), call, Span{Messages: span, SoFar: "the record"})
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
	for _, want := range []string{
		"already recorded", `to the last: assistant \"I decided to use channel2`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("the instruction lacks %q", want)
		}
	}
}

// In append a model sees no message numbers, so it is only asked for quotes.
func TestAppendAsksForNoNumbers(t *testing.T) {
	s := start(t, answering(goodAppend))
	c := New(Options{Transport: transport(t)})
	w, err := c.Statements(t.Context(), ofTheClient(s, body("", message("user", "hello"))), Span{})
	if err != nil || w.Form != Structured || w.Statements[0].Messages != nil {
		t.Errorf("%+v, %v; want statements without messages", w, err)
	}
	if sent := string(s.Requests()[0].Body); strings.Contains(sent, "numbers of the messages") {
		t.Errorf("the schema asks for numbers: %s", sent)
	}
}
