package fakeresponses

import (
	"fmt"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// create answers POST /v1/responses.
func (s *Server) create(x *fakeserver.Exchange) {
	r, e := s.read(x, toCreate)
	if e != nil {
		fail(x, e)
		return
	}
	findings := Findings{MovedReasoning: movedReasoning(r)}
	missing, at := s.state.missingPhases(r)
	findings.MissingPhases = missing
	s.phases.Add(int64(missing))
	if missing > 0 && s.cfg.RequirePhase {
		fail(x, openaiapi.Lacks(inputAt(at)+".phase"))
		return
	}
	p := s.prompt(r)
	if s.refuses(x, r, &p) {
		return
	}
	a := &answer{s: s, x: x, r: r, findings: findings}
	if !triggers(r) {
		a.reply = s.reply(r)
	}
	if a.reply.Status != 0 {
		fail(x, openaiapi.ErrorOf(a.reply.Status))
		return
	}
	a.build(p)
	x.Note(a.findings)
	if r.Stream() {
		a.stream()
		return
	}
	a.whole()
}

func (s *Server) reply(r *Request) Reply {
	if s.cfg.Reply != nil {
		return s.cfg.Reply(r)
	}
	return Reply{Content: fmt.Sprintf("This is the scripted answer to a request of %d items.",
		len(r.Items))}
}
