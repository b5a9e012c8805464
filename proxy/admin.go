package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"killick/proxy/fault"
)

// exposeMetrics serves the metrics for Prometheus.
func (p *Proxy) exposeMetrics() gin.HandlerFunc {
	return gin.WrapH(promhttp.HandlerFor(p.opt.Registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(p.opt.Logger.Handler(), slog.LevelError),
	}))
}

// fromOperator reports whether a request has the admin token, in constant time.
func (p *Proxy) fromOperator(r *http.Request) bool {
	if p.opt.AdminToken == "" {
		return true
	}
	want := sha256.Sum256([]byte("Bearer " + p.opt.AdminToken))
	got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// operatorsOnly rejects everybody else.
func (p *Proxy) operatorsOnly(c *gin.Context) {
	if p.fromOperator(c.Request) {
		return
	}
	c.Writer.Header().Set("WWW-Authenticate", "Bearer")
	fault.WriteError(c.Writer, http.StatusUnauthorized,
		"This is for the operator: send Authorization: Bearer with admin.token.",
		"invalid_request_error", "invalid_admin_token")
	c.Abort()
}

// noRebinding rejects requests that a web page sends to a loopback listener without a token by
// rebinding its own host name.
func (p *Proxy) noRebinding(c *gin.Context) {
	if p.opt.AdminToken != "" || isLocalHost(c.Request.Host) {
		return
	}
	fault.WriteError(c.Writer, http.StatusForbidden,
		"Without admin.token this only works with the host localhost or an IP address.",
		"invalid_request_error", "bad_host")
	c.Abort()
}

// isLocalHost reports whether a Host header is localhost or an IP address, which cannot be the host
// name of a foreign page.
func isLocalHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "localhost" || net.ParseIP(strings.Trim(host, "[]")) != nil
}

// healthz reports that the process is alive.
func (p *Proxy) healthz(c *gin.Context) { c.JSON(http.StatusOK, gin.H{"status": "ok"}) }

// readyz reports whether new requests should be sent here.
func (p *Proxy) readyz(c *gin.Context) {
	if p.draining.Load() {
		c.JSON(http.StatusServiceUnavailable, gin.H{"status": "not ready"})
		return
	}
	c.JSON(http.StatusOK, gin.H{"status": "ready"})
}
