package model

import (
	"errors"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"killick/internal/upstreamtest"
)

const good = `{"session_intent":"Fix the login of the billing service.","decisions_made":[{"decision":"Use bcrypt","reason":"it is there","supersedes":""}],` +
	`"completed":["edited auth.go"],"failed_attempts":[],"current_state":"The login works, tests are missing.","open_questions":[],"next_steps":["write tests"]}`

func TestSummarize(t *testing.T) {
	s := start(t, upstreamtest.Config{Reply: answering(says(good))})
	c := New(Options{BaseURL: s.URL(), Name: "writer", APIKey: "operator", Transport: transport(t)})
	got, err := c.Summarize(t.Context(), Call{}, oneTurn(t))
	if err != nil || got.Form != Structured || got.Spent.Calls != 1 || got.Prose.Completed[0] != "edited auth.go" {
		t.Errorf("%+v, %v; want the scripted prose at the first call", got, err)
	}
}

// An answer that was no good does not come back beside the error of the retry.
func TestARetryThatFails(t *testing.T) {
	const half = `{"session_intent":"Fix the login of the billing service.","completed":["edited auth.go"]}`
	s := start(t, upstreamtest.Config{Reply: answering(says(half), upstreamtest.Reply{Status: 503})})
	c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t)})
	w, err := c.Summarize(t.Context(), Call{}, oneTurn(t))
	if !errors.Is(err, ErrUnavailable) || w.Form != "" || w.Spent.Calls != 2 || !reflect.DeepEqual(w.Prose, Prose{}) {
		t.Errorf("%+v, %v; want no prose after two calls", w, err)
	}
}

// One client serves all conversations at once.
func TestConcurrentCalls(t *testing.T) {
	s := start(t, upstreamtest.Config{Scripted: &upstreamtest.Scripted{Kind: upstreamtest.Wordy}, Unsupported: []string{"json_schema", "max_completion_tokens"}})
	var steps atomic.Int64
	c := New(Options{BaseURL: s.URL(), Name: "writer", Transport: transport(t), Limits: Limits{Calls: -1}, Trace: func(Step) { steps.Add(1) }})
	var calls atomic.Int64
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			w, err := c.Summarize(t.Context(), Call{Key: strconv.Itoa(i % 3)}, oneTurn(t))
			if err != nil || w.Form != Headed {
				t.Errorf("%q, %v", w.Form, err)
			}
			calls.Add(int64(w.Spent.Calls))
		})
	}
	group.Wait()
	if calls.Load() != steps.Load() || calls.Load() != int64(len(s.Requests())) {
		t.Errorf("%d calls counted, %d traced, %d made", calls.Load(), steps.Load(), len(s.Requests()))
	}
}
