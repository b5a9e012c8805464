package fakemessages

import (
	"cmp"
	"fmt"
	"net/http"

	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
	"killick/internal/fakeserver"
)

// answerMessage answers a request that is valid.
func (x *exchange) answerMessage(a *answer) {
	l := x.s.layout(a.req, x.credential())
	size := l.tokens()
	if e := x.s.tooLong(a.req, size); e != nil {
		x.fail(e)
		return
	}
	reply := x.s.reply(a.req)
	if reply.Delay > 0 {
		x.Wait(reply.Delay)
	}
	if reply.Status != 0 {
		x.fail(request.ErrorOf(reply.Status))
		return
	}
	found := Found{}
	a.usage, found.ByPrefix = x.s.cache.use(a.req, l, x.s.now())
	switch {
	case a.req.Summary:
		x.summarize(a)
	case a.req.MaxTokens == 0:
		a.stopReason = "max_tokens" // the request only fills the cache
	default:
		a.render(reply)
		if x.s.stopsAtWindow(a.req, size+a.usage.OutputTokens) {
			a.stopReason = "model_context_window_exceeded"
		}
	}
	found.Usage = a.usage
	for _, t := range a.reported {
		if t.Type == thinking.Dropped {
			found.Dropped++
		}
	}
	x.Note(found)
	if reply.ErrorAfter > 0 {
		a.errorAfter = reply.ErrorAfter
		status := reply.ErrorStatus
		status = cmp.Or(status, request.Overloaded)
		a.errorEvent = request.ErrorOf(status).Body(requestID(x.N))
	}
	if a.req.Stream {
		a.stream()
		return
	}
	x.Answer(http.StatusOK, fakeserver.EncodeJSON(a.message(true)))
}

func (s *Server) reply(r *Request) Reply {
	if s.cfg.Reply != nil {
		return s.cfg.Reply(r)
	}
	return Reply{Blocks: []Content{Text(fmt.Sprintf(
		"This is the scripted answer to a request of %d messages.", len(r.Messages)))}}
}
