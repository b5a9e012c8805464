package model

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/chattest"
	"killick/probe"
	"killick/rawjson"
)

var update = flag.Bool("update", false, "write testdata/prompts.golden")

// fenceCode matches the random code of a task.
var fenceCode = regexp.MustCompile(`\b[A-Z2-7]{26}\b`)

// Every prompt that the client can send, up to the correction of an answer: prompts must only
// change on purpose. To update them:
//
//	go test ./model -run TestPrompts -update
func TestPrompts(t *testing.T) {
	const file = "testdata/prompts.golden"
	got := allPrompts(t)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		from := max(0, at-100)
		t.Errorf("the prompts differ from %s at byte %d:\ngot  %q\nwant %q",
			file, at, got[from:min(len(got), at+100)], want[from:min(len(want), at+100)])
	}
}

// allPrompts makes every call with an answer that must be corrected, and returns the
// corrective requests.
func allPrompts(t *testing.T) []byte {
	t.Helper()
	conversation := session(2)
	for i, text := range conversation { // one line of each output is enough to read
		repeated := strings.Repeat(fmt.Sprintf(`line of output %d\n`, (i-3)/2), 29)
		conversation[i] = strings.ReplaceAll(text, repeated, "")
	}
	const faulty = `{"x":1}`
	prefix := body(tools+`"stream":true,`, conversation...)
	statements := []probe.Statement{
		{Section: "fact", Text: "The port is 8443.", Quote: "port 8443", Writer: "user",
			Passage: "Let it listen on port 8443.", At: 12,
			Related: probe.Related{Kind: probe.Before, Text: "On which port?"}},
		{Section: "completed", Text: "a\nb", Quote: "c", Writer: "assistant and tool"},
	}
	questions := []probe.Question{
		{Text: "Which port?", Expected: "8443"}, {Text: "Which file?", Expected: "a.go"},
	}
	record := Record{Written: "by a model", Kept: "by rules"}
	given := []probe.Answered{answered("Why?", "it was stale", "old data")}
	guided := Options{Identifiers: RedactIdentifiers, Instructions: "Dosages matter most."}
	type ask func(c *Client, call Call, span Span) error
	askStatements := func(c *Client, call Call, span Span) error {
		_, err := c.Statements(t.Context(), call, span)
		return err
	}
	askQuestions := func(c *Client, call Call, span Span) error {
		_, _, err := c.Questions(t.Context(), call, span, 3)
		return err
	}
	askVerdicts := func(c *Client, call Call, _ Span) error {
		others := []probe.Other{{Message: 31, Writer: "user", Text: "No, on 9443."}}
		_, _, err := c.Verify(t.Context(), call, probe.Checks{Shown: statements, Others: others})
		return err
	}
	askAnswers := func(c *Client, call Call, _ Span) error {
		_, _, err := c.Answers(t.Context(), call, record, questions)
		return err
	}
	askGrades := func(c *Client, call Call, _ Span) error {
		_, _, err := c.Grade(t.Context(), call, given)
		return err
	}
	turns := Span{Messages: chattest.Messages(t, conversation[1:5]...)}
	later := turns
	later.First, later.SoFar = 12, "THE RECORD SO FAR"
	var out bytes.Buffer
	for _, test := range []struct {
		name   string
		answer string // to be corrected
		opt    Options
		append bool
		span   Span
		ask    ask
	}{
		{"statements", faulty, Options{}, false, turns, askStatements},
		{"statements, guided", " ", guided, false, later, askStatements},
		{"statements in append", faulty, Options{}, true, later, askStatements},
		{"statements in append, of all turns", "", guided, true, Span{}, askStatements},
		{"questions", faulty, Options{}, false, turns, askQuestions},
		{"questions in append", faulty, Options{}, true, turns, askQuestions},
		{"verdicts", faulty, Options{}, false, Span{}, askVerdicts},
		{"answers", faulty, Options{}, true, Span{}, askAnswers},
		{"grades", faulty, Options{}, false, Span{}, askGrades},
	} {
		s := start(t, answering(test.answer))
		opt, call := test.opt, ofTheClient(s, prefix)
		opt.Transport = transport(t)
		if !test.append {
			opt.BaseURL, opt.Name, call = s.URL(), "writer", Call{}
		}
		if err := test.ask(New(opt), call, test.span); err == nil {
			t.Fatalf("%s: %q was taken for an answer", test.name, test.answer)
		}
		requests := s.Requests()
		if len(requests) != 2 {
			t.Fatalf("%s: %d requests, want a corrective one", test.name, len(requests))
		}
		fmt.Fprintf(&out, "##### %s\n%s\n", test.name, shownRequest(t, requests[1].Body))
	}
	return out.Bytes()
}

// shownRequest is a request with the decoded texts of its messages.
func shownRequest(t *testing.T, body []byte) string {
	t.Helper()
	req, err := chat.Parse(body)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", rawjson.WithMembers(body, map[string]rawjson.Value{"messages": nil}))
	msgs := req.Messages()
	for i := range msgs {
		fmt.Fprintf(&b, "### %s\n%s\n", msgs[i].Role(), msgs[i].Text())
	}
	return fenceCode.ReplaceAllString(b.String(), "CODE")
}
