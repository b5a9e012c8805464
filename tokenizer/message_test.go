package tokenizer

import (
	"fmt"
	"testing"

	"killick/chat"
	"killick/view"
)

func parse(t testing.TB, body string) *view.Request {
	t.Helper()
	req, err := chat.Parse([]byte(body))
	if err != nil {
		t.Fatalf("parsing %s: %v", body, err)
	}
	return req
}

// TestCookbook holds the figures that OpenAI's cookbook gives for its example
// conversation.
func TestCookbook(t *testing.T) {
	body := `{"model":%q,"messages":[
	{"role":"system","content":"You are a helpful, pattern-following assistant that translates ` +
		`corporate jargon into plain English."},
	{"role":"system","name":"example_user","content":"New synergies will help drive top-line ` +
		`growth."},
	{"role":"system","name":"example_assistant","content":"Things working well together will ` +
		`increase revenue."},
	{"role":"system","name":"example_user","content":"Let's circle back when we have more ` +
		`bandwidth to touch base on opportunities for increased leverage."},
	{"role":"system","name":"example_assistant","content":"Let's talk later when we're less ` +
		`busy about how to do better."},
	{"role":"user","content":"This late pivot means we don't have time to boil the ocean for ` +
		`the client deliverable."}]}`
	for model, want := range map[string]int{"gpt-3.5-turbo": 129, "gpt-4-0613": 129,
		"gpt-4o": 124, "gpt-4o-mini": 124} {
		req := parse(t, fmt.Sprintf(body, model))
		m := New(Options{}).For(model)
		got := m.Request(req)
		if got.Total != want {
			t.Errorf("%s: %d tokens, want %d", model, got.Total, want)
		}
		if sum := countEach(m, req) + m.Overhead(req); sum != want {
			t.Errorf("%s: messages and overhead sum up to %d, want %d", model, sum, want)
		}
	}
}

// countEach is the sum over all messages.
func countEach(m Model, req *view.Request) (total int) {
	for i := range req.Messages() {
		total += m.Message(&req.Messages()[i])
	}
	return total
}
