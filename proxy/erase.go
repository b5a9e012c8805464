package proxy

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"killick/chat"
	"killick/gemini"
	"killick/messages"
	"killick/proxy/body"
	"killick/proxy/coding"
	"killick/responses"
	"killick/view"
)

// Eraser deletes what a Compactor stored. Each method returns the number of deleted records. When
// it returns they cannot be found any more; its errors quote no content.
type Eraser interface {
	// EraseConversation deletes the prefixes of a request's conversation, and the originals of
	// its outputs, if they were stored for who.
	EraseConversation(ctx context.Context, who string, req *view.Request) (int, error)
	// EraseOwner deletes everything stored for who.
	EraseOwner(ctx context.Context, who string) (int, error)
	EraseAll(ctx context.Context) (int, error)
}

// eraseOwn deletes everything stored for the client that asks.
func (p *Proxy) eraseOwn(c *gin.Context) {
	who := p.identity.OfAsker(c.Request)
	p.erase(c, who, func(ctx context.Context) (int, error) {
		return p.opt.Eraser.EraseOwner(ctx, who)
	})
}

// eraseConversation deletes the conversation whose latest request a client sends.
func (p *Proxy) eraseConversation(c *gin.Context) {
	reserved := body.Reservation{Budget: p.budget}
	defer reserved.Release()
	ctl, limit := http.NewResponseController(c.Writer), p.opt.MaxBody
	b, err := body.Read(ctl, c.Request, limit, p.opt.Timeouts.Body, &reserved)
	if err == nil {
		b, err = body.Decode(coding.Of(c.Request.Header), b, limit, &reserved)
	}
	if f := p.limitFault(err); f != nil {
		writeFault(c.Writer, f)
		return
	}
	var requests []*view.Request
	if err == nil {
		requests = inEveryFormat(b)
	}
	if len(requests) == 0 {
		writeError(c.Writer, http.StatusBadRequest,
			"Send the body of the conversation's latest request: "+
				"the data to delete is found by its messages.",
			"invalid_request_error", "bad_conversation")
		return
	}
	who := p.identity.OfAsker(c.Request)
	p.erase(c, who, func(ctx context.Context) (n int, err error) {
		for _, req := range requests {
			erased, err := p.opt.Eraser.EraseConversation(ctx, who, req)
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
	} {
		if req, err := view.Parse(f, body); err == nil {
			requests = append(requests, req)
		}
	}
	return requests
}

// eraseAll deletes everything, for the operator.
func (p *Proxy) eraseAll(c *gin.Context) {
	p.erase(c, "", func(ctx context.Context) (int, error) { return p.opt.Eraser.EraseAll(ctx) })
}

// eraseClient deletes everything stored for one client, for the operator.
func (p *Proxy) eraseClient(c *gin.Context) {
	who, ok := p.identity.Named(strings.TrimPrefix(c.Param("name"), "/"))
	if !ok {
		writeError(c.Writer, http.StatusBadRequest,
			"Clients are identified by their credential, which has no name: "+
				"they can call DELETE /killick/data with it themselves.",
			"invalid_request_error", "no_names")
		return
	}
	p.erase(c, who, func(ctx context.Context) (int, error) {
		return p.opt.Eraser.EraseOwner(ctx, who)
	})
}

// noRebinding rejects requests that a web page sends to a loopback listener without a token by
// rebinding its own host name.
func (p *Proxy) noRebinding(c *gin.Context) {
	if p.opt.AdminToken != "" || isLocalHost(c.Request.Host) {
		return
	}
	writeError(c.Writer, http.StatusForbidden,
		"Without admin.token this only works with the host localhost or an IP address.",
		"invalid_request_error", "bad_host")
	c.Abort()
}

// erase deletes data of a client, "" for all clients, and first what is in memory of it.
func (p *Proxy) erase(c *gin.Context, who string, do func(context.Context) (int, error)) {
	c.Writer.Header().Set("Cache-Control", "no-store")
	p.keeper.Forget(who)
	defer p.parser.Forget(who)
	n := 0
	if p.opt.Eraser != nil {
		var err error
		// A client that disconnects must not leave the work half done.
		if n, err = do(context.WithoutCancel(c.Request.Context())); err != nil {
			p.opt.Logger.Error("data could not be deleted", slog.String("cause", causeText(err)))
			c.Writer.Header().Set("Retry-After", "2")
			writeError(c.Writer, http.StatusServiceUnavailable,
				"Killick's store could not delete everything. Try again in a moment.",
				"server_error", "store_unavailable")
			return
		}
	}
	p.opt.Logger.Info("deleted data on request", slog.Int("records", n))
	c.JSON(http.StatusOK, gin.H{"deleted": true, "records": n})
}
