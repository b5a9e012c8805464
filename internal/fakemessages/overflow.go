package fakemessages

import "killick/internal/fakemessages/request"

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
