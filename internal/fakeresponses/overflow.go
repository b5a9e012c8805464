package fakeresponses

import (
	"fmt"
	"net/http"

	"killick/internal/fakeserver"
)

// TooLong is a request that does not fit a model's window, in tokens.
type TooLong struct {
	Window int // what the model takes
	Prompt int // what the prompt came to
	Tools  int // of which tools and the format of the answer
}

// Refusal is how a provider refuses a request that is too long.
type Refusal struct {
	// InStream answers a request for a stream with 200, and with response.failed as the first
	// event that says so.
	InStream bool
	// Status and Body are the answer. If Body is nil, OpenAI's.
	Status int
	Body   func(TooLong) string
}

// The refusals of some providers.
var (
	// openai/codex#4116, james-6-23/codex2api#310
	FailedRefusal = Refusal{InStream: true}
	// kortix-ai/suna#6368 for the code; RooCodeInc/Roo-Code#11998 for the wording
	OpenRouterRefusal = Refusal{Status: http.StatusBadRequest, Body: func(t TooLong) string {
		return fmt.Sprintf(`{"error":{"message":"This endpoint's maximum context length is %d `+
			`tokens. However, you requested about %d tokens (%d of text input, %d of tool input). `+
			`Please reduce the length of either one, or use the context-compression plugin to `+
			`compress your prompt automatically.","code":400,"metadata":{"provider_name":null}}}`,
			t.Window, t.Prompt, t.Prompt-t.Tools, t.Tools)
	}}
	// lmstudio-ai/lmstudio-bug-tracker#2322 for the status; #2339 for the wording
	LMStudioRefusal = Refusal{Status: http.StatusOK, Body: func(TooLong) string {
		return `{"error":{"message":"Context size has been exceeded.",` +
			`"type":"invalid_request_error","param":null,"code":null}}`
	}}
)

// window is what a model takes, 0 for no limit.
func (s *Server) window(model string) int {
	if s.cfg.Windows != nil {
		return s.cfg.Windows(model)
	}
	return s.cfg.Window
}

// refuses answers a request that is too long, and reports whether it was. One that asks for it is
// truncated instead.
func (s *Server) refuses(x *fakeserver.Exchange, r *Request, p *prompt) bool {
	t := TooLong{Window: s.window(r.Model), Prompt: p.tokens, Tools: p.fixed}
	if t.Window == 0 || p.tokens <= t.Window ||
		r.Body.Text("truncation") == "auto" && p.truncate(t.Window) {
		return false
	}
	refusal, e := s.cfg.Refusal, exceeded()
	switch {
	case refusal.InStream && r.Stream():
		a := &answer{s: s, x: x, r: r, reply: Reply{
			Failure: &Failure{Code: e.Code, Message: e.Message}}}
		a.stream()
	case refusal.Body != nil:
		x.Answer(refusal.Status, []byte(refusal.Body(t)))
	default:
		fail(x, e)
	}
	return true
}
