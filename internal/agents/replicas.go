package main

import (
	"fmt"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
)

// replicas are several proxies that share a store, behind a balancer that sends each request to the
// next of them.
type replicas struct {
	proxies  []*proxyProcess
	balancer *httptest.Server // nil for one proxy
	url      string
}

// startReplicas starts so many proxies, with their folders and logs in dir.
func startReplicas(s settings, t thresholds, upstream, dir string) (*replicas, error) {
	r := &replicas{}
	var bases []*url.URL
	for i := range max(s.replicas, 1) {
		at := filepath.Join(dir, fmt.Sprint("replica-", i+1))
		if err := os.MkdirAll(at, 0o755); err != nil {
			return nil, err
		}
		p, err := startProxy(s, t, upstream, at)
		if err != nil {
			r.stop()
			return nil, err
		}
		r.proxies = append(r.proxies, p)
		base, err := url.Parse(p.url)
		if err != nil {
			r.stop()
			return nil, err
		}
		bases = append(bases, base)
	}
	if r.url = r.proxies[0].url; len(bases) > 1 {
		var next atomic.Uint64
		r.balancer = httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1,
			Rewrite: func(p *httputil.ProxyRequest) {
				p.SetURL(bases[next.Add(1)%uint64(len(bases))])
			}})
		r.url = r.balancer.URL
	}
	return r, nil
}

// stop ends all proxies and waits for them.
func (r *replicas) stop() {
	if r.balancer != nil {
		r.balancer.Close()
	}
	for _, p := range r.proxies {
		p.stop()
	}
}

// keep writes the metrics of all proxies, and their logs, to a folder, before they are stopped.
func (r *replicas) keep(dir string) {
	for i, p := range r.proxies {
		suffix := ""
		if len(r.proxies) > 1 {
			suffix = fmt.Sprint("-", i+1)
		}
		if text, err := p.metrics(); err == nil {
			_ = os.WriteFile(filepath.Join(dir, "metrics"+suffix+".txt"), text, 0o644)
		}
		if text, err := os.ReadFile(p.log); err == nil {
			_ = os.WriteFile(filepath.Join(dir, "killick"+suffix+".log"), text, 0o644)
		}
	}
}
