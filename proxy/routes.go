package proxy

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// Only our own few paths are routed by gin. What goes upstream is told apart by
// its path as sent and handed to the ReverseProxy with the server's own writer:
// gin matches decoded paths, and its writer holds back the status, so that
// informational replies such as 103 would be lost.

func newEngine() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New() // without gin.Recovery, which passes a broken reply off as whole
	e.RedirectTrailingSlash = false
	e.HandleMethodNotAllowed = true
	e.NoRoute(func(c *gin.Context) {
		writeError(c.Writer, http.StatusNotFound,
			"There is nothing at this path; Killick keeps /killick/ for itself.", "invalid_request_error", "not_found")
	})
	e.NoMethod(func(c *gin.Context) {
		writeError(c.Writer, http.StatusMethodNotAllowed,
			"This path does not take this method.", "invalid_request_error", "method_not_allowed")
	})
	return e
}

// get registers a path for GET and HEAD.
func get(e *gin.Engine, path string, h ...gin.HandlerFunc) {
	e.GET(path, h...)
	e.HEAD(path, h...)
}

// ownRoutes are our paths on the public listener.
func (p *Proxy) ownRoutes() http.Handler {
	e := newEngine()
	get(e, "/healthz", p.healthz)
	get(e, "/readyz", p.readyz)
	get(e, "/killick/version", p.keyed, func(c *gin.Context) {
		c.JSON(http.StatusOK, gin.H{"name": "killick", "version": p.opt.Version})
	})
	get(e, "/killick/outputs/*ref", p.keyed, p.outputs)
	get(e, "/killick/summaries/*ref", p.keyed, p.summaries)
	p.eraseRoutes(e)
	return p.guarded(e)
}

// guarded contains panics of our own routes.
func (p *Proxy) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := p.newReply(w, r)
		defer out.Finish()
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if v != http.ErrAbortHandler {
				p.contained("own", v)
			}
			if v == http.ErrAbortHandler || out.Status() != 0 {
				panic(http.ErrAbortHandler)
			}
			writeError(out, http.StatusInternalServerError,
				"Killick failed in an unexpected way; its log says where.", "server_error", "internal")
		}()
		h.ServeHTTP(out, r)
	})
}
