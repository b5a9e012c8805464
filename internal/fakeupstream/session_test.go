package fakeupstream

import (
	"os"
	"testing"

	"killick/internal/fakeserver/openaiapi"
	"killick/view"
)

// TestDemoSession holds that the session which the demo replays is one that
// OpenAI would take at every turn, and as long as the demo needs it.
func TestDemoSession(t *testing.T) {
	body, err := os.ReadFile("../demo/session.json")
	if err != nil {
		t.Fatal(err)
	}
	req, refused := parse(body)
	if refused != nil {
		t.Fatal(refused.Message)
	}
	messages := req.Messages()
	if n := len(messages); n < 110 || n > 160 {
		t.Errorf("%d messages, want 110 to 160", n)
	}
	outputs, calls := 0, map[string]int{}
	for i := range messages {
		m := &messages[i]
		if m.Role() == view.Tool {
			outputs += len(m.Text())
		}
		for _, call := range m.ToolCalls() {
			calls[call.Name]++
			if !declared(req, call.Name) {
				t.Errorf("message %d calls %q, which is no tool of the session", i, call.Name)
			}
		}
	}
	if tokens := openaiapi.TokensIn(len(body)); tokens < 60_000 || tokens > 90_000 ||
		outputs < len(body)/2 {
		t.Errorf("about %d tokens, %d of %d bytes in tool outputs; want 60,000 to 90,000 and "+
			"more than half", tokens, outputs, len(body))
	}
	if len(calls) < 6 {
		t.Errorf("calls of %v, want at least six tools", calls)
	}
	replay(t, req)
}

// declared reports whether a request offers a tool.
func declared(req *view.Request, name string) bool {
	for tool := range req.Field("tools").Elements() {
		if tool.Get("function").Get("name").Is(name) || tool.Get("custom").Get("name").Is(name) {
			return true
		}
	}
	return false
}

// replay validates what a client would send before each assistant message.
func replay(t *testing.T, req *view.Request) {
	t.Helper()
	messages := req.Messages()
	for i := 1; i < len(messages); i++ {
		if messages[i].Role() != view.Assistant {
			continue
		}
		if err := Check(req.Splice([]view.Piece{{From: 0, To: i}})); err != nil {
			t.Errorf("the turn before message %d: %v", i, err)
		}
	}
	if err := Check(req.Raw()); err != nil {
		t.Errorf("the whole: %v", err)
	}
}
