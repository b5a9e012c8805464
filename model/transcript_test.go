package model

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"killick/chat"
	"killick/internal/chattest"
	"killick/internal/fakeupstream"
	"killick/model/endpoint"
	"killick/probe"
)

// shown returns the messages as a standalone model sees them.
func shown(t *testing.T, opt Options, span Span) string {
	t.Helper()
	s := start(t, answering(good))
	if _, err := standalone(t, s, opt).Statements(t.Context(), Call{}, span); err != nil {
		t.Fatal(err)
	}
	req, err := chat.Parse(s.Requests()[0].Body)
	if err != nil {
		t.Fatal(err)
	}
	return req.Messages()[1].Text()
}

const secret, removed = "hunter2", "[credential removed]"

func redact(s string) string { return strings.ReplaceAll(s, secret, removed) }

// secretive returns a span in which every message contains a credential.
func secretive(t *testing.T) Span {
	t.Helper()
	return Span{SoFar: "The password is hunter2.", Messages: chattest.Messages(t,
		message("user", "It is hunter2."),
		`{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function",`+
			`"function":{"name":"login","arguments":"{\"password\":\"hunter2\"}"}}]}`,
		message("tool", "welcome hunter2"))}
}

func TestCredentialsAreNotShown(t *testing.T) {
	text := shown(t, Options{Redact: redact}, secretive(t))
	if strings.Contains(text, secret) || strings.Count(text, removed) != 4 {
		t.Errorf("the model is shown %s", text)
	}
}

func TestCredentialsAreTakenOut(t *testing.T) {
	var steps []Step
	numberless := strings.NewReplacer(`,"message":1`, "", `,"message":2`, "")
	s := start(t, answering(
		strings.Replace(goodAppend, "auth.go was edited.", "The password was set to hunter2.", 1),
		numberless.Replace(questionsJSON(2)),
		`{"answers":[{"number":1,"answer":"hunter2"}]}`))
	c := New(Options{
		Redact: redact, Transport: transport(t),
		Trace: func(step Step) { steps = append(steps, step) },
	})
	call := ofTheClient(s, body("", message("user", "It is hunter2."),
		message("assistant", "Good."),
		message("user", "Go on.")))
	span := secretive(t)
	w, err := c.Statements(t.Context(), call, span)
	if err != nil || w.Statements[0].Text != "The password was set to [credential removed]." {
		t.Errorf("%+v, %v; want no credential in the statements", w, err)
	}
	if _, _, err := c.Questions(t.Context(), call, span, 3); err != nil {
		t.Fatal(err)
	}
	record := Record{Written: span.SoFar, Kept: span.SoFar}
	questions := []probe.Question{{Text: "Is it hunter2?"}, {Text: "And?"}}
	answers, _, err := c.Answers(t.Context(), call, record, questions)
	if err != nil || answers[0] != removed {
		t.Errorf("%q, %v; want no credential in the answers", answers, err)
	}
	for i, r := range s.Requests() {
		// The client's own bytes go to the provider that has seen them. Ours contain none.
		want := 1
		if i == 2 {
			want = 0
		}
		if got := strings.Count(string(r.Body), secret); got != want {
			t.Errorf("request %d holds the credential %d times: %s", i+1, got, r.Body)
		}
	}
	if len(steps) != 3 || !steps[0].Append || steps[0].Model != "gpt-5.1" || steps[2].Append ||
		steps[0].Usage.Calls != 1 || strings.Contains(fmt.Sprint(steps), secret) {
		t.Errorf("traced %+v", steps)
	}
}

// A transcript that exceeds the window is sent in pieces that fit, and the answers are combined.
func TestPieces(t *testing.T) {
	conversation := session(120)
	for _, window := range []int{8192, 16384} {
		s := start(t, fakeupstream.Config{Window: window, Scripted: &fakeupstream.Scripted{}})
		c := standalone(t, s, Options{Window: window, Limits: Limits{Calls: -1}})
		w, err := c.Statements(t.Context(), Call{}, turnsOf(t, conversation))
		if err != nil || w.Form != Structured || w.Usage.Calls < 2 ||
			w.Usage.Calls > DefaultMaxPieces {
			t.Errorf("window %d: %q after %d calls, %v; want pieces",
				window, w.Form, w.Usage.Calls, err)
			continue
		}
		n := len(w.Statements)
		if last := w.Statements[n-1]; n != maxStatements ||
			last.Text != "Next I will write the tests." ||
			last.Messages[0] != len(conversation)-2 {
			t.Errorf("window %d: %d statements, the last is %+v; want the newest of all pieces",
				window, n, last)
		}
	}
}

func TestTranscriptsThatFitNoWindow(t *testing.T) {
	span := turnsOf(t, session(500))
	s := start(t, fakeupstream.Config{Window: 4096, Scripted: &fakeupstream.Scripted{}})
	c := standalone(t, s, Options{Window: 4096})
	_, err := c.Statements(t.Context(), Call{}, span)
	if !errors.Is(err, endpoint.ErrTooLong) || len(s.Requests()) != 0 {
		t.Errorf("%v after %d calls, want it too long without any", err, len(s.Requests()))
	}
	// The model that asks questions sees its beginning and its end.
	questions, spent, err := c.Questions(t.Context(), Call{}, span, 3)
	if err != nil || len(questions) != 3 || spent.Calls != 1 {
		t.Errorf("%+v after %d calls, %v; want three questions after one",
			questions, spent.Calls, err)
	}
}
