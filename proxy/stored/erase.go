package stored

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"killick/chat"
	"killick/converse"
	"killick/gemini"
	"killick/messages"
	"killick/proxy/body"
	"killick/proxy/coding"
	"killick/proxy/fault"
	"killick/responses"
	"killick/view"
)

// EraseOwn deletes everything stored for the client that asks.
func (p *Paths) EraseOwn(c *gin.Context) {
	who := p.Identity.OfUnforwarded(c.Request)
	p.erase(c, who, func(ctx context.Context) (int, error) {
		return p.Eraser.EraseOwner(ctx, who)
	})
}

// EraseConversation deletes the conversation whose latest request a client sends.
func (p *Paths) EraseConversation(c *gin.Context) {
	reserved := body.Reservation{Budget: p.Budget}
	defer reserved.Release()
	ctl, limit := http.NewResponseController(c.Writer), p.MaxBody
	b, err := body.Read(ctl, c.Request, limit, p.BodyTimeout, &reserved)
	if err == nil {
		b, err = body.Decode(coding.Of(c.Request.Header), b, limit, &reserved)
	}
	if f := fault.OfLimit(err, limit); f != nil {
		f.Write(c.Writer)
		return
	}
	var requests []*view.Request
	if err == nil {
		requests = inEveryFormat(b)
	}
	if len(requests) == 0 {
		fault.WriteError(c.Writer, http.StatusBadRequest,
			"Send the body of the conversation's latest request: "+
				"the data to delete is found by its messages.",
			"invalid_request_error", "bad_conversation")
		return
	}
	who := p.Identity.OfUnforwarded(c.Request)
	p.erase(c, who, func(ctx context.Context) (n int, err error) {
		for _, req := range requests {
			erased, err := p.Eraser.EraseConversation(ctx, who, req)
			if n += erased; err != nil {
				return n, err
			}
		}
		return n, nil
	})
}

// inEveryFormat returns the views of a body in all formats in which it can be read, since it does
// not name its format.
func inEveryFormat(body []byte) (requests []*view.Request) {
	for _, f := range []view.Format{
		chat.Format, messages.Format, responses.Format, gemini.Format,
		gemini.CodeAssist, converse.Format, chat.Ollama,
	} {
		if req, err := view.Parse(f, body); err == nil {
			requests = append(requests, req)
		}
	}
	return requests
}

// EraseAll deletes everything, for the operator.
func (p *Paths) EraseAll(c *gin.Context) {
	p.erase(c, "", func(ctx context.Context) (int, error) { return p.Eraser.EraseAll(ctx) })
}

// EraseClient deletes everything stored for one client, for the operator.
func (p *Paths) EraseClient(c *gin.Context) {
	who, ok := p.Identity.Named(strings.TrimPrefix(c.Param("name"), "/"))
	if !ok {
		fault.WriteError(c.Writer, http.StatusBadRequest,
			"Clients are identified by their credential, which has no name: "+
				"they can call DELETE /killick/data with it themselves.",
			"invalid_request_error", "no_names")
		return
	}
	p.erase(c, who, func(ctx context.Context) (int, error) {
		return p.Eraser.EraseOwner(ctx, who)
	})
}

// erase deletes data of a client, "" for all clients, and first what is in memory of it.
func (p *Paths) erase(c *gin.Context, who string, do func(context.Context) (int, error)) {
	c.Writer.Header().Set("Cache-Control", "no-store")
	p.Keeper.Forget(who)
	defer p.Parser.Forget(who)
	n := 0
	if p.Eraser != nil {
		var err error
		// A client that disconnects must not leave the work half done.
		if n, err = do(context.WithoutCancel(c.Request.Context())); err != nil {
			p.Logger.Error("data could not be deleted", slog.String("cause", fault.CauseText(err)))
			c.Writer.Header().Set("Retry-After", "2")
			fault.WriteError(c.Writer, http.StatusServiceUnavailable,
				"Killick's store could not delete everything. Try again in a moment.",
				"server_error", "store_unavailable")
			return
		}
	}
	p.Logger.Info("deleted data on request", slog.Int("records", n))
	c.JSON(http.StatusOK, gin.H{"deleted": true, "records": n})
}
