package model

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"killick/internal/upstreamtest"
)

// ways are the two ways to ask, each over the same conversation.
func ways(t *testing.T, s *upstreamtest.Server, opt Options) map[string]func() (Written, error) {
	t.Helper()
	conversation := session(3)
	span := Span{Messages: messages(t, conversation[1:]...)}
	opt.Transport = transport(t)
	alone := opt
	alone.BaseURL, alone.Name, alone.APIKey = s.URL(), "writer", "operator"
	return map[string]func() (Written, error){
		"append": func() (Written, error) {
			return New(opt).Statements(t.Context(), client(s, body(tools, conversation...)), span)
		},
		"standalone": func() (Written, error) { return New(alone).Statements(t.Context(), Call{}, span) },
	}
}

// Every behaviour, asked both ways: how it ends, after how many calls.
func TestForms(t *testing.T) {
	type scripted = upstreamtest.Scripted
	tests := []struct {
		model scripted
		form  Form
		calls int
		err   error
	}{
		{scripted{}, Structured, 1, nil},
		{scripted{Kind: upstreamtest.Forgetful}, Structured, 1, nil},
		{scripted{Kind: upstreamtest.Inventing}, Structured, 1, nil},
		{scripted{Kind: upstreamtest.Contradicting}, Structured, 1, nil},
		{scripted{Kind: upstreamtest.Nonsense}, Structured, 1, nil},
		{scripted{Kind: upstreamtest.Wordy}, "", 2, ErrMalformed},
		{scripted{Kind: upstreamtest.Refusing, Variant: "sign"}, "", 1, ErrRefused},
		{scripted{Kind: upstreamtest.Refusing, Variant: "words"}, "", 1, ErrRefused},
		{scripted{Kind: upstreamtest.Acknowledging}, "", 1, ErrRefused},
		{scripted{Kind: upstreamtest.Failing}, "", 1, ErrUnavailable},
		{scripted{Kind: upstreamtest.Failing, Variant: "429"}, "", 1, ErrUnavailable},
		{scripted{Kind: upstreamtest.Failing, Variant: "401"}, "", 1, ErrRejected},
		{scripted{Kind: upstreamtest.Failing, Variant: "413"}, "", 1, ErrTooLong},
	}
	for _, form := range upstreamtest.WrappedForms {
		tests = append(tests, tests[0])
		tests[len(tests)-1].model.Variant = form
	}
	for i, form := range upstreamtest.MalformedForms {
		if testing.Short() && i%4 != 0 {
			continue
		}
		tests = append(tests,
			struct {
				model scripted
				form  Form
				calls int
				err   error
			}{scripted{Kind: upstreamtest.Malformed, Variant: form}, "", 2, ErrMalformed},
			struct {
				model scripted
				form  Form
				calls int
				err   error
			}{scripted{Kind: upstreamtest.Sloppy, Variant: form}, Corrected, 2, nil})
	}
	for _, test := range tests {
		s := start(t, upstreamtest.Config{Scripted: &test.model})
		for way, ask := range ways(t, s, Options{}) {
			name := string(test.model.Kind) + ":" + test.model.Variant + ", " + way
			s.Reset()
			w, err := ask()
			if !errors.Is(err, test.err) || w.Form != test.form || w.Spent.Calls != test.calls || len(s.Requests()) != test.calls {
				t.Errorf("%s: form %q after %d calls, %v; want %q after %d, %v", name, w.Form, w.Spent.Calls, err, test.form, test.calls, test.err)
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
		"extra":     "the answer has 1 members that the schema does not know",
		"text":      "the answer holds no complete JSON object",
		"truncated": "the answer was cut off",
		"copied":    "characters, at most 500 are allowed",
		"call":      "a tool was called",
		"blank":     "lacks the member statements",
	} {
		s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{Kind: upstreamtest.Sloppy, Variant: variant}})
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
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{Kind: upstreamtest.Slow}})
	for way, ask := range ways(t, s, Options{Timeout: 500 * time.Millisecond}) {
		w, err := ask()
		if !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) || Reason(err) != "timeout" || w.Spent.Calls != 1 {
			t.Errorf("%s: %+v, %v (%s), want one call and a time-out", way, w, err, Reason(err))
		}
	}
}

func TestACallerThatLeavesEndsTheCall(t *testing.T) {
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{Kind: upstreamtest.Slow}})
	c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t), Trips: 1})
	for range 3 { // a caller that leaves is no failure of the endpoint
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err := c.Statements(ctx, Call{}, oneTurn(t)); !errors.Is(err, context.Canceled) || Reason(err) != "canceled" {
			t.Errorf("%v, want the caller's own end", err)
		}
	}
}

// An endpoint that knows less of the API is asked in what it knows, and only the
// first call pays for finding out.
func TestDialectsAreLearnt(t *testing.T) {
	for _, test := range []struct {
		unsupported []string
		first       int // calls of the first summary
		format      string
		bound       string
	}{
		{nil, 1, "json_schema", "max_completion_tokens"},
		{[]string{"json_schema"}, 2, "json_object", "max_completion_tokens"},
		{[]string{"json_schema", "json_object"}, 3, "", "max_completion_tokens"},
		{[]string{"max_completion_tokens"}, 2, "json_schema", "max_tokens"},
		{[]string{"max_completion_tokens", "max_tokens"}, 3, "json_schema", ""},
		{[]string{"json_schema", "json_object", "max_completion_tokens", "max_tokens"}, 5, "", ""},
	} {
		s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}, Unsupported: test.unsupported})
		c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t)})
		for i, want := range []int{test.first, 1, 1} {
			w, err := c.Statements(t.Context(), Call{}, oneTurn(t))
			if err != nil || w.Form != Structured || w.Spent.Calls != want {
				t.Errorf("%v: summary %d is %q after %d calls, %v; want structured after %d", test.unsupported, i+1, w.Form, w.Spent.Calls, err, want)
			}
		}
		all := s.Requests()
		last := string(all[len(all)-1].Body)
		if test.format != "" != strings.Contains(last, `"response_format":{"type":"`+test.format) || test.bound != "" != strings.Contains(last, `"`+test.bound+`":`) {
			t.Errorf("%v: the last request has another dialect than %q, %q", test.unsupported, test.format, test.bound)
		}
	}
}

// A 400 that names no member may be about anything: older forms are tried, and
// one is only remembered when it is taken.
func TestDialectsAreNotLearntFromOtherRefusals(t *testing.T) {
	refuse := true
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}, Fault: func(int, *http.Request) upstreamtest.Fault {
		if refuse {
			return upstreamtest.Fault{Status: http.StatusBadRequest, Body: []byte(`{"error":{"message":"no"}}`)}
		}
		return upstreamtest.Fault{}
	}})
	c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t)})
	w, err := c.Statements(t.Context(), Call{}, oneTurn(t))
	if !errors.Is(err, ErrRejected) || w.Spent.Calls != 3 {
		t.Errorf("%d calls, %v; want 3, one for each form, and a rejection", w.Spent.Calls, err)
	}
	refuse = false
	if w, err = c.Statements(t.Context(), Call{}, oneTurn(t)); err != nil || w.Spent.Calls != 1 {
		t.Fatalf("%+v, %v", w, err)
	}
	all := s.Requests()
	if !strings.Contains(string(all[len(all)-1].Body), `"type":"json_schema"`) {
		t.Error("the schema is no longer sent after refusals that were about something else")
	}
}

func TestStrictTemplatesAreLearnt(t *testing.T) {
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}, StrictTurns: true})
	tr := transport(t)
	c := New(Options{Transport: tr})
	conversation := session(40)
	prefix := body(tools, conversation[:len(conversation)-2]...) // ends with the output of a tool
	post(t, s, tr, prefix)
	for i, want := range []int{2, 1} {
		w, err := c.Statements(t.Context(), client(s, prefix), Span{})
		if err != nil || w.Form != Structured || w.Spent.Calls != want {
			t.Fatalf("summary %d: %q after %d calls, %v; want structured after %d", i+1, w.Form, w.Spent.Calls, err, want)
		}
		if w.Spent.CachedTokens*10 < w.Spent.PromptTokens*8 {
			t.Errorf("%d of %d tokens were cached", w.Spent.CachedTokens, w.Spent.PromptTokens)
		}
	}

	// Templates without a system role take the rules from the user.
	s = start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}, Fault: func(_ int, r *http.Request) upstreamtest.Fault {
		if raw, _ := io.ReadAll(r.Body); strings.Contains(string(raw), `"role":"system"`) {
			return upstreamtest.Fault{Status: http.StatusInternalServerError, Body: []byte(`{"error":{"code":500,"message":"System role not supported","type":"server_error"}}`)}
		}
		return upstreamtest.Fault{}
	}})
	c = New(Options{BaseURL: s.URL(), Name: "gemma", Transport: tr})
	for i, want := range []int{2, 1} {
		if w, err := c.Statements(t.Context(), Call{}, oneTurn(t)); err != nil || w.Spent.Calls != want {
			t.Errorf("summary %d: %d calls, %v; want %d", i+1, w.Spent.Calls, err, want)
		}
	}
}

// A bound that the endpoint finds too large is left to the client's own, and a
// request that is too long is not written in other dialects.
func TestRefusalsOfSizes(t *testing.T) {
	conversation := session(2)
	tooLarge := func(_ int, r *http.Request) upstreamtest.Fault {
		if raw, _ := io.ReadAll(r.Body); strings.Contains(string(raw), "8192") {
			return upstreamtest.Fault{Status: http.StatusBadRequest, Body: []byte(`{"error":{"message":"max_tokens is too large: 8192. This model supports at most 4096 completion tokens.","param":"max_tokens"}}`)}
		}
		return upstreamtest.Fault{}
	}
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{}, Fault: tooLarge})
	c := New(Options{Transport: transport(t)})
	for i, want := range []int{2, 1} {
		w, err := c.Statements(t.Context(), client(s, body(`"max_tokens":4096,`, conversation...)), Span{})
		if err != nil || w.Spent.Calls != want {
			t.Errorf("summary %d: %d calls, %v; want %d", i+1, w.Spent.Calls, err, want)
		}
	}
	if last := s.Requests()[2]; !strings.Contains(string(last.Body), `"max_tokens":4096,`) {
		t.Error("the client's own bound is gone")
	}

	s = start(t, upstreamtest.Config{Window: 100})
	c = New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t)})
	w, err := c.Statements(t.Context(), Call{}, oneTurn(t))
	if !errors.Is(err, ErrTooLong) || w.Spent.Calls != 1 {
		t.Errorf("past the window: %d calls, %v; want one, too long", w.Spent.Calls, err)
	}
}
