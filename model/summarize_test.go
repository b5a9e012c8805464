package model

import (
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
