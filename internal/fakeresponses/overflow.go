package fakeresponses

import "killick/internal/fakeserver"

// refuses answers a request that is too long, and reports whether it was. One that asks for it is
// truncated instead.
func (s *Server) refuses(x *fakeserver.Exchange, r *Request, p *prompt) bool {
	if s.cfg.Window == 0 || p.tokens <= s.cfg.Window ||
		r.Body.Text("truncation") == "auto" && p.truncate(s.cfg.Window) {
		return false
	}
	fail(x, exceeded())
	return true
}
