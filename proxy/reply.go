package proxy

import (
	"net/http"

	"killick/proxy/reply"
)

// newReply returns what the reply to r is written to.
func (p *Proxy) newReply(w http.ResponseWriter, r *http.Request) *reply.Writer {
	out := reply.New(w, r, p.opt.Timeouts.Stall)
	if policy := &p.opt.CORS; policy.Enabled() {
		out.CORS = func(h http.Header) { policy.Mark(h, r.Header.Get("Origin")) }
	}
	return out
}

// preflight answers a page that asks for permission.
func (p *Proxy) preflight(w http.ResponseWriter, r *http.Request) {
	if !p.opt.CORS.Allow(w.Header(), r) {
		writeError(w, http.StatusForbidden, "Killick does not let pages of this origin in; "+
			"its configuration names those that it does, in cors.origins.",
			"invalid_request_error", "origin_not_allowed")
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
