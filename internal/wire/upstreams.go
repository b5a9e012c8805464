package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"killick/compactor"
	"killick/internal/config"
	"killick/proxy"
	"killick/proxy/target"
)

// proxyUpstreams returns the upstreams of a configuration, including the one of the short form.
func proxyUpstreams(c *config.Config) (list []target.Upstream, err error) {
	for _, u := range c.AllUpstreams() {
		up := target.Upstream{Name: u.Name, Takes: u.Takes, APIKey: string(u.APIKey),
			KeyHeader: u.KeyHeader, H2C: u.H2C}
		if up.BaseURL, err = url.Parse(u.BaseURL); err != nil {
			return nil, errors.New(u.Path + ".base_url: not a URL") // the cause would quote it
		}
		if up.OutboundProxy, err = u.Proxy.Parse(); err != nil {
			return nil, fmt.Errorf("%s.proxy: %w", u.Path, err)
		}
		var key string
		if up.TLS, key, err = u.ClientTLS(u.Path); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", u.Path, key, err)
		}
		list = append(list, up)
	}
	return list, nil
}

// setUpstreams sets the upstreams in the options: the list, or the single one of the short form.
func setUpstreams(o *proxy.Options, c *config.Config) error {
	list, err := proxyUpstreams(c)
	if err != nil {
		return err
	}
	if len(c.Upstreams) > 0 {
		o.Upstreams = list
		return nil
	}
	o.Upstream = list[0]
	return nil
}

// modelRoutes returns routes to models. A route to an upstream has the outbound settings of that
// upstream. A route to another address has no client certificate; its other settings are those of
// the only upstream, or the defaults if there are several.
func modelRoutes(o proxy.Options) Routes {
	if len(o.Upstreams) > 0 {
		return func(baseURL string) Route {
			if baseURL != "" {
				return new(target.Upstream).NewTransport(o.Timeouts.Connect)
			}
			return newUpstreamRoutes(o)
		}
	}
	only := target.Upstream{TLS: o.Upstream.TLS, OutboundProxy: o.Upstream.OutboundProxy}
	return func(baseURL string) Route {
		u := only
		u.H2C = o.Upstream.H2C && baseURL == ""
		t := u.NewTransport(o.Timeouts.Connect)
		if baseURL != "" && t.TLSClientConfig != nil {
			t.TLSClientConfig.Certificates = nil
		}
		return t
	}
}

// upstreamRoutes is the Route to several upstreams: each call uses the transport of its upstream.
type upstreamRoutes struct {
	upstreams  []target.Upstream
	transports []*http.Transport // of the upstreams
}

func newUpstreamRoutes(o proxy.Options) *upstreamRoutes {
	r := &upstreamRoutes{upstreams: o.Upstreams}
	for _, u := range o.Upstreams {
		r.transports = append(r.transports, u.NewTransport(o.Timeouts.Connect))
	}
	return r
}

func (r *upstreamRoutes) RoundTrip(req *http.Request) (*http.Response, error) {
	at, longest := -1, -1
	path := req.URL.EscapedPath() + "/"
	for i, u := range r.upstreams {
		b := u.BaseURL
		if b.Scheme != req.URL.Scheme || b.Host != req.URL.Host {
			continue
		}
		// Among the upstreams at the same host, the one with the longest matching base path.
		base := strings.TrimSuffix(b.EscapedPath(), "/") + "/"
		switch {
		case strings.HasPrefix(path, base) && len(base) > longest:
			at, longest = i, len(base)
		case at < 0:
			at = i
		}
	}
	if at < 0 {
		return nil, errors.New("no upstream has this address")
	}
	return r.transports[at].RoundTrip(req)
}

// CloseIdleConnections closes the idle connections to all upstreams.
func (r *upstreamRoutes) CloseIdleConnections() {
	for _, t := range r.transports {
		t.CloseIdleConnections()
	}
}

// storedUpstream returns the part of the store's keys that distinguishes upstreams. Several
// upstreams of one process share what is stored, since a conversation may continue at another one.
func storedUpstream(c *config.Config) string {
	if len(c.Upstreams) > 0 {
		return "several"
	}
	return c.Upstream.BaseURL
}

// originOf returns the name of an upstream in stored data: a hash of its address, which may contain
// a key.
func originOf(baseURL string) string {
	sum := sha256.Sum256([]byte(baseURL))
	return hex.EncodeToString(sum[:8])
}

// enginesAt returns the compactor of each of several upstreams, by name; nil for a single upstream.
func enginesAt(
	c *config.Config, e *compactor.Engine, windows *learnedWindows,
) map[string]*compactor.Engine {
	if len(c.Upstreams) == 0 {
		return nil
	}
	engines := map[string]*compactor.Engine{}
	for _, u := range c.Upstreams {
		engines[u.Name] = e.At(originOf(u.BaseURL), windows.at(u.Name), u.StrictTurns)
	}
	return engines
}
