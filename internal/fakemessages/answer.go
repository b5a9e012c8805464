package fakemessages

import (
	"fmt"
	"net/http"

	"killick/internal/fakemessages/request"
	"killick/internal/fakemessages/thinking"
	"killick/internal/fakeserver"
)

// answerMessage answers a request that is valid.
func (x *exchange) answerMessage(a *answer) {
	l := x.s.layout(a.req, x.credential())
	reply := x.s.reply(a.req)
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
	}
	found.Usage = a.usage
	for _, t := range a.reported {
		if t.Type == thinking.Dropped {
			found.Dropped++
		}
	}
	x.Note(found)
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
