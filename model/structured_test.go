package model

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"killick/internal/chattest"
	"killick/internal/fakeupstream"
	"killick/model/endpoint"
)

// ways are the two ways to ask, each over the same conversation.
func ways(t *testing.T, s *fakeupstream.Server, opt Options) map[string]func() (Written, error) {
	t.Helper()
	conversation := session(3)
	span := Span{Messages: chattest.Messages(t, conversation[1:]...)}
	opt.Transport = transport(t)
	call := ofTheClient(s, body(tools, conversation...))
	return map[string]func() (Written, error){
		"append": func() (Written, error) {
			return New(opt).Statements(t.Context(), call, span)
		},
		"standalone": func() (Written, error) {
			return standalone(t, s, opt).Statements(t.Context(), Call{}, span)
		},
	}
}

// Every behaviour of a model, asked both ways: the result and the number of calls.
func TestForms(t *testing.T) {
	type scripted = fakeupstream.Scripted
	type test struct {
		model scripted
		form  Form
		calls int
		err   error
	}
	tests := []test{
		{scripted{}, Structured, 1, nil},
		{scripted{Kind: fakeupstream.Forgetful}, Structured, 1, nil},
		{scripted{Kind: fakeupstream.Inventing}, Structured, 1, nil},
		{scripted{Kind: fakeupstream.Contradicting}, Structured, 1, nil},
		{scripted{Kind: fakeupstream.Nonsense}, Structured, 1, nil},
		{scripted{Kind: fakeupstream.Wordy}, "", 2, ErrMalformed},
		{scripted{Kind: fakeupstream.Refusing, Variant: "sign"}, "", 1, endpoint.ErrRefused},
		{scripted{Kind: fakeupstream.Refusing, Variant: "words"}, "", 1, endpoint.ErrRefused},
		{scripted{Kind: fakeupstream.Acknowledging}, "", 1, endpoint.ErrRefused},
		{scripted{Kind: fakeupstream.Failing}, "", 1, endpoint.ErrUnavailable},
		{scripted{Kind: fakeupstream.Failing, Variant: "429"}, "", 1, endpoint.ErrUnavailable},
		{scripted{Kind: fakeupstream.Failing, Variant: "401"}, "", 1, endpoint.ErrRejected},
		{scripted{Kind: fakeupstream.Failing, Variant: "413"}, "", 1, endpoint.ErrTooLong},
	}
	for _, form := range fakeupstream.WrappedForms {
		tests = append(tests, test{scripted{Variant: form}, Structured, 1, nil})
	}
	for i, form := range fakeupstream.MalformedForms {
		if testing.Short() && i%4 != 0 {
			continue
		}
		tests = append(tests,
			test{scripted{Kind: fakeupstream.Malformed, Variant: form}, "", 2, ErrMalformed},
			test{scripted{Kind: fakeupstream.Sloppy, Variant: form}, Corrected, 2, nil})
	}
	for _, test := range tests {
		s := start(t, fakeupstream.Config{Scripted: &test.model})
		for way, ask := range ways(t, s, Options{}) {
			name := string(test.model.Kind) + ":" + test.model.Variant + ", " + way
			s.Reset()
			w, err := ask()
			if !errors.Is(err, test.err) || w.Form != test.form ||
				w.Usage.Calls != test.calls || len(s.Requests()) != test.calls {
				t.Errorf("%s: form %q after %d calls, %v; want %q after %d, %v",
					name, w.Form, w.Usage.Calls, err, test.form, test.calls, test.err)
			}
			if err == nil && len(w.Statements) == 0 {
				t.Errorf("%s: no statements and no error", name)
			}
			if err != nil && (len(w.Statements) > 0 || Reason(err) == "other") {
				t.Errorf("%s: statements beside the error %v", name, err)
			}
		}
	}
}

func TestCorrectiveRetryNamesTheFaults(t *testing.T) {
	for variant, want := range map[string]string{
		"lacking":   "the answer lacks the member statements",
		"mistyped":  "statements.1 is of type number, want object",
		"extra":     "the answer has members that the schema does not have: 1",
		"text":      "the answer holds no complete JSON object",
		"truncated": "the answer was cut off",
		"copied":    "characters, at most 500 are allowed",
		"call":      "a tool was called",
		"blank":     "lacks the member statements",
	} {
		sloppy := fakeupstream.Scripted{Kind: fakeupstream.Sloppy, Variant: variant}
		s := start(t, fakeupstream.Config{Scripted: &sloppy})
		for way, ask := range ways(t, s, Options{}) {
			s.Reset()
			if _, err := ask(); err != nil {
				t.Fatal(err)
			}
			if got := string(s.Requests()[1].Body); !strings.Contains(got, want) {
				t.Errorf("%s, %s: the retry does not say %q", variant, way, want)
			}
		}
	}
}

func TestASlowModelIsGivenUp(t *testing.T) {
	s := start(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{Kind: fakeupstream.Slow}})
	for way, ask := range ways(t, s, Options{Timeout: 500 * time.Millisecond}) {
		w, err := ask()
		if !errors.Is(err, endpoint.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) ||
			Reason(err) != "timeout" || w.Usage.Calls != 1 {
			t.Errorf("%s: %+v, %v (%s), want one call and a time-out", way, w, err, Reason(err))
		}
	}
}

func TestACallerThatLeavesEndsTheCall(t *testing.T) {
	s := start(t, fakeupstream.Config{Scripted: &fakeupstream.Scripted{Kind: fakeupstream.Slow}})
	c := standalone(t, s, Options{TripAfter: 1})
	for range 3 { // a caller that gives up is not a failure of the endpoint
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		_, err := c.Statements(ctx, Call{}, oneTurn(t))
		if !errors.Is(err, context.Canceled) || Reason(err) != "canceled" {
			t.Errorf("%v, want the caller's own end", err)
		}
	}
}
