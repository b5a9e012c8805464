package proxy

import (
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// adminRoutes are the operator's paths, on a listener of their own.
func (p *Proxy) adminRoutes() http.Handler {
	e := newEngine()
	metrics := promhttp.HandlerFor(p.opt.Registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(p.opt.Logger.Handler(), slog.LevelError),
	})
	get(e, "/metrics", gin.WrapH(metrics))
	get(e, "/healthz", p.healthz)
	get(e, "/readyz", func(c *gin.Context) {
		// The operator is told why; the public is not.
		if err := p.ready(); err != nil {
			c.JSON(http.StatusServiceUnavailable, gin.H{"status": "not ready", "reason": err.Error()})
			return
		}
		p.readyz(c)
	})
	return p.guarded(e)
}

// healthz says that the process answers.
func (p *Proxy) healthz(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) }

// readyz says whether new requests should come here.
func (p *Proxy) readyz(c *gin.Context) {
	if p.ready() != nil {
		c.JSON(http.StatusServiceUnavailable, gin.H{"status": "not ready"})
		return
	}
	c.JSON(http.StatusOK, gin.H{"status": "ready"})
}

func (p *Proxy) ready() error {
	if p.draining.Load() {
		return errStopping
	}
	return p.opt.Ready()
}
