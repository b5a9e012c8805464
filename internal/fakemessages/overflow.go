package fakemessages

import "killick/internal/fakemessages/request"

// Overflow is how a request that is too long is answered.
type Overflow string

// The ways that there are. Which one a model takes: claude-code#408 and #12186, and
// https://platform.claude.com/docs/en/build-with-claude/context-windows.
const (
	// ByModel refuses a prompt that is longer than the window. Where the prompt and max_tokens are
	// longer together, models before 4.5 refuse too, and later ones stop when the window is full.
	ByModel Overflow = ""
	// RefusesPrompt refuses a prompt that is longer than the window, and nothing else.
	RefusesPrompt Overflow = "prompt"
	// RefusesMaxTokens refuses also a prompt that is longer together with max_tokens.
	RefusesMaxTokens Overflow = "max_tokens"
	// Stops answers with stop_reason model_context_window_exceeded, however long the prompt is.
	Stops Overflow = "stops"
)

func (s *Server) window(r *Request) int {
	if s.cfg.Window == nil {
		return 0
	}
	return s.cfg.Window(r.Model)
}

// tooLong refuses a request whose input has so many tokens, if it is to be refused.
func (s *Server) tooLong(r *Request, size int) *request.Error {
	window := s.window(r)
	how := s.cfg.Overflow
	if how == ByModel && !r.Rules.StopsAtWindow {
		how = RefusesMaxTokens
	}
	switch {
	case window == 0 || how == Stops:
		return nil
	case size > window:
		return request.Invalid("prompt is too long: %d tokens > %d maximum", size, window)
	case how == RefusesMaxTokens && size+r.MaxTokens > window:
		return request.Invalid("input length and `max_tokens` exceed context limit: %d + %d > %d, "+
			"decrease input length or `max_tokens` and try again", size, r.MaxTokens, window)
	}
	return nil
}

// stopsAtWindow reports whether the reply ends because the window is full.
func (s *Server) stopsAtWindow(r *Request, size int) bool {
	window := s.window(r)
	return window > 0 && size > window
}
