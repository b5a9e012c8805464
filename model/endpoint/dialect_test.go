package endpoint

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"killick/internal/fakeupstream"
)

// An endpoint that supports less of the API gets requests that it supports. Only the first request
// needs several exchanges to find out.
func TestDialectsAreLearned(t *testing.T) {
	for _, test := range []struct {
		unsupported []string
		first       int // exchanges of the first request
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
		s, tr := start(t, fakeupstream.Config{Unsupported: test.unsupported})
		c := New(Options{Transport: tr})
		for i, want := range []int{test.first, 1, 1} {
			if got, err := counted(t, c, hello(t, s.URL())); err != nil || got != want {
				t.Errorf("%v: request %d took %d exchanges, %v; want %d",
					test.unsupported, i+1, got, err, want)
			}
		}
		all := s.Requests()
		last := string(all[len(all)-1].Body)
		if test.format != "" != strings.Contains(last, `"response_format":{"type":"`+test.format) ||
			test.bound != "" != strings.Contains(last, `"`+test.bound+`":`) {
			t.Errorf("%v: the last request has another dialect than %q, %q",
				test.unsupported, test.format, test.bound)
		}
	}
}

// A 400 that names no member may be about anything: older dialects are tried, and one is only
// remembered when it is accepted.
func TestDialectsAreNotLearnedFromOtherRefusals(t *testing.T) {
	refuse := true
	s, tr := start(t, fakeupstream.Config{Fault: func(int, *http.Request) fakeupstream.Fault {
		if refuse {
			return refusal(http.StatusBadRequest, "no")
		}
		return fakeupstream.Fault{}
	}})
	c := New(Options{Transport: tr})
	if got, err := counted(t, c, hello(t, s.URL())); !errors.Is(err, ErrRejected) || got != 3 {
		t.Errorf("%d exchanges, %v; want 3, one for each form, and a rejection", got, err)
	}
	refuse = false
	if got, err := counted(t, c, hello(t, s.URL())); err != nil || got != 1 {
		t.Fatalf("%d exchanges, %v; want one", got, err)
	}
	all := s.Requests()
	if !strings.Contains(string(all[len(all)-1].Body), `"type":"json_schema"`) {
		t.Error("the schema is no longer sent after refusals that were about something else")
	}
}

// refusal is an error in OpenAI's shape.
func refusal(status int, message string) fakeupstream.Fault {
	body := fmt.Appendf(nil, `{"error":{"message":%q}}`, message)
	return fakeupstream.Fault{Status: status, Body: body}
}

// refusing refuses requests whose body contains some words.
func refusing(
	words string, status int, message string,
) func(int, *http.Request) fakeupstream.Fault {
	return func(_ int, r *http.Request) fakeupstream.Fault {
		if raw, err := io.ReadAll(r.Body); err != nil || strings.Contains(string(raw), words) {
			return refusal(status, message)
		}
		return fakeupstream.Fault{}
	}
}

func TestStrictTemplatesAreLearned(t *testing.T) {
	s, tr := start(t, fakeupstream.Config{StrictTurns: true})
	c := New(Options{Transport: tr})
	r := afterBody(
		t,
		s.URL(),
		`{"model":"m",`+tools+`"messages":[{"role":"user","content":"hello"},`+
			`{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",`+
			`"function":{"name":"write_file","arguments":"{}"}}]},`+
			`{"role":"tool","tool_call_id":"a","content":"done"}]}`,
	)
	for i, want := range []int{2, 1} {
		if got, err := counted(t, c, r); err != nil || got != want {
			t.Fatalf("request %d took %d exchanges, %v; want %d", i+1, got, err, want)
		}
	}
}

// For templates without a system role, the rules are in the user's message.
func TestTemplatesWithoutASystemRole(t *testing.T) {
	s, tr := start(t, fakeupstream.Config{
		Fault: refusing(`"role":"system"`, http.StatusInternalServerError,
			"System role not supported"),
	})
	c := New(Options{Transport: tr})
	for i, want := range []int{2, 1} {
		if got, err := counted(t, c, hello(t, s.URL())); err != nil || got != want {
			t.Errorf("request %d took %d exchanges, %v; want %d", i+1, got, err, want)
		}
	}
	all := s.Requests()
	last := string(all[len(all)-1].Body)
	if !strings.Contains(last, `"content":"Be brief.\n\nHello?"`) {
		t.Errorf("sent %s, want the rules before the question", last)
	}
}

// If the endpoint finds our bound too large, the client's own is sent. A request that is too long
// is not sent in other dialects.
func TestRefusalsOfSizes(t *testing.T) {
	s, tr := start(t, fakeupstream.Config{Fault: refusing("8192", http.StatusBadRequest,
		"max_tokens is too large: 8192. This model supports at most 4096 completion tokens.")})
	c := New(Options{Transport: tr})
	r := afterBody(t, s.URL(), `{"model":"m","max_tokens":4096,`+
		`"messages":[{"role":"user","content":"hello"}]}`)
	for i, want := range []int{2, 1} {
		if got, err := counted(t, c, r); err != nil || got != want {
			t.Errorf("request %d took %d exchanges, %v; want %d", i+1, got, err, want)
		}
	}
	if last := s.Requests()[2]; !strings.Contains(string(last.Body), `"max_tokens":4096,`) {
		t.Error("the client's own bound is gone")
	}

	s, tr = start(t, fakeupstream.Config{Window: 1})
	got, err := counted(t, New(Options{Transport: tr}), hello(t, s.URL()))
	if !errors.Is(err, ErrTooLong) || got != 1 {
		t.Errorf("past the window: %d exchanges, %v; want one, too long", got, err)
	}
}
