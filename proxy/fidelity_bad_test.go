package proxy

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// startUpstream serves h and returns its base URL.
func startUpstream(t *testing.T, h http.Handler) string {
	t.Helper()
	up := httptest.NewUnstartedServer(h)
	up.Config.ErrorLog = log.New(io.Discard, "", 0)
	up.Start()
	t.Cleanup(func() {
		up.CloseClientConnections()
		up.Close()
	})
	return up.URL
}

// badProxies are what people have put in front of model APIs, each bad in a way
// that the named checks have to see.
var badProxies = map[string]struct {
	make   func(*httputil.ReverseProxy) http.Handler
	caught []string
}{
	"decodes and encodes": {func(p *httputil.ReverseProxy) http.Handler {
		return beforeBody(p, func(b []byte, _ http.Header) []byte {
			var v any
			if json.Unmarshal(b, &v) != nil {
				return b
			}
			again, _ := json.Marshal(v)
			return again
		})
	}, []string{"lone surrogates", "spelled numbers", "duplicate keys", "white space"}},
	"wants JSON": {func(p *httputil.ReverseProxy) http.Handler {
		return beforeBody(p, func(b []byte, h http.Header) []byte {
			if h.Get("Content-Encoding") == "" && !json.Valid(b) {
				return []byte("{}")
			}
			return b
		})
	}, []string{"no JSON"}},
	"limits bodies": {func(p *httputil.ReverseProxy) http.Handler {
		return beforeBody(p, func(b []byte, _ http.Header) []byte {
			return b[:min(len(b),
				10<<20)]
		})
	}, []string{"20 MB"}},
	"unpacks requests": {func(p *httputil.ReverseProxy) http.Handler {
		return beforeBody(p, func(b []byte, h http.Header) []byte {
			if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
				h.Del("Content-Encoding")
				b, _ = io.ReadAll(z)
			}
			return b
		})
	}, []string{"gzip to upstream"}},
	"asks for gzip itself": {func(p *httputil.ReverseProxy) http.Handler {
		p.Transport = http.DefaultTransport
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Accept-Encoding")
			p.ServeHTTP(w, r)
		})
	}, []string{"gzip to client", "nothing made up"}},
	"decodes and encodes replies": {func(p *httputil.ReverseProxy) http.Handler {
		return afterBody(p, func(b []byte) []byte {
			var v any
			if json.Unmarshal(b, &v) == nil {
				b, _ = json.Marshal(v)
			}
			return b
		})
	}, []string{"reply as spelled", "error bodies"}},
	"buffers replies": {func(p *httputil.ReverseProxy) http.Handler {
		return afterBody(p, func(b []byte) []byte { return b })
	}, []string{"events as they come", "comments and CRLF", "an error event", "split at any byte",
		"a slow reader"}},
	"drops comments": {func(p *httputil.ReverseProxy) http.Handler {
		p.ModifyResponse = func(res *http.Response) error {
			res.Header.Del("Content-Length")
			res.Body = struct {
				io.Reader
				io.Closer
			}{dropping{res.Body}, res.Body}
			return nil
		}
		return p
	}, []string{"events as they come", "comments and CRLF", "split at any byte"}},
	"keeps one value": {func(p *httputil.ReverseProxy) http.Handler {
		first := func(h http.Header) {
			for name, values := range h {
				h[name] = values[:1]
			}
		}
		p.ModifyResponse = func(res *http.Response) error { first(res.Header); return nil }
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			first(r.Header)
			p.ServeHTTP(w, r)
		})
	}, []string{"many values", "values of a header"}},
	"knows its headers by their case": {func(p *httputil.ReverseProxy) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("X-Session-Id")
			p.ServeHTTP(w, r)
		})
	}, []string{"any case"}},
	"says who it is": {func(p *httputil.ReverseProxy) http.Handler {
		inner := p.Rewrite
		p.Rewrite = func(pr *httputil.ProxyRequest) {
			inner(pr)
			pr.SetXForwarded()
			pr.Out.Header.Set("Via", "1.1 proxy")
		}
		return p
	}, []string{"nothing made up"}},
	"makes errors its own": {func(p *httputil.ReverseProxy) http.Handler {
		p.ModifyResponse = func(res *http.Response) error {
			if res.StatusCode >= 400 {
				res.StatusCode, res.Body = 502, io.NopCloser(strings.NewReader("bad gateway"))
				res.Header.Set("Content-Length", "11")
			}
			return nil
		}
		return p
	}, []string{"error bodies", "very fast replies"}},
	"ends cut streams well": {func(p *httputil.ReverseProxy) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() { _ = recover() }() // as gin.Recovery does
			p.ServeHTTP(w, r)
		})
	}, []string{"cut streams"}},
	"drops trailers": {func(p *httputil.ReverseProxy) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body, r.ContentLength, r.Trailer,
				r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil, nil
			p.ServeHTTP(deaf{w}, r)
			h := w.Header()
			for name := range h {
				if strings.HasPrefix(name, http.TrailerPrefix) {
					delete(h, name)
				}
			}
			h.Del("X-Sum")
		})
	}, []string{"trailers of a reply", "trailers of a request", "uploads stream", "early hints"}},
	"wants a length": {func(p *httputil.ReverseProxy) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength < 0 {
				r.Body, r.ContentLength, r.TransferEncoding = http.NoBody, 0, nil
			}
			p.ServeHTTP(w, r)
		})
	}, []string{"a body of unknown length", "trailers of a request"}},
	"hangs up after each": {func(p *httputil.ReverseProxy) http.Handler {
		p.Transport = &http.Transport{DisableCompression: true, DisableKeepAlives: true}
		return p
	}, []string{"kept connections"}},
	"works on for nobody": {func(p *httputil.ReverseProxy) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			out, _ := http.NewRequest(r.Method, "", r.Body)
			out.Header, out.URL, out.RequestURI, out.Host = r.Header, r.URL, r.RequestURI, r.Host
			p.ServeHTTP(deaf{w}, out)
		})
	}, []string{"a client that leaves"}},
	"never says go on": {func(p *httputil.ReverseProxy) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Expect") != "" {
				w.WriteHeader(http.StatusExpectationFailed)
				return
			}
			p.ServeHTTP(w, r)
		})
	}, []string{"100-continue"}},
	"pipes uploads": {func(p *httputil.ReverseProxy) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength > 1<<20 { // the reply is cut with the upload
				panic(http.ErrAbortHandler)
			}
			p.ServeHTTP(w, r)
		})
	}, []string{"very fast replies", "20 MB"}},
}

// beforeBody is a proxy that changes bodies of requests.
func beforeBody(p *httputil.ReverseProxy, change func([]byte, http.Header) []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		body = change(body, r.Header)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		p.ServeHTTP(w, r)
	})
}

// afterBody is a proxy that reads replies whole and changes them.
func afterBody(p *httputil.ReverseProxy, change func([]byte) []byte) http.Handler {
	p.ModifyResponse = func(res *http.Response) error {
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		res.Body = io.NopCloser(bytes.NewReader(change(body)))
		res.Header.Del("Content-Length")
		return nil
	}
	return p
}

// dropping is a reader without the lines that begin with a colon, of what is
// read at once.
type dropping struct{ io.Reader }

func (d dropping) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	lines := bytes.SplitAfter(bytes.Clone(p[:n]), []byte("\n"))
	lines = slices.DeleteFunc(lines, func(line []byte) bool {
		return bytes.HasPrefix(line,
			[]byte(":"))
	})
	return copy(p, bytes.Join(lines, nil)), err
}

// deaf is a writer that lets no informational reply through and does not report
// that its client has left.
type deaf struct{ http.ResponseWriter }

func (d deaf) WriteHeader(status int) {
	if status >= 200 {
		d.ResponseWriter.WriteHeader(status)
	}
}

func (d deaf) Flush() {
	if f, ok := d.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// TestFidelityChecksCatchBadProxies: each check fails on a proxy that re-encodes,
// buffers, drops or makes up what it is about, and there is one such proxy for
// each check.
func TestFidelityChecksCatchBadProxies(t *testing.T) {
	seen := map[string]bool{}
	timeout := time.Second
	for name, bad := range badProxies {
		for _, what := range bad.caught {
			seen[what] = true
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				if err := fidelity[what].check(t, timeout,
					func(base string) string { return startBad(t, base, bad.make) }); err == nil {
					t.Error("the check sees nothing wrong with it")
				}
			})
		}
	}
	// Whoever passes gzip untouched passes the others.
	for _, twin := range []string{"br to upstream", "zstd to upstream", "br to client",
		"zstd to client"} {
		seen[twin] = true
	}
	for name := range fidelity {
		if !seen[name] {
			t.Errorf("%s: no bad proxy shows that the check can fail", name)
		}
	}
}

// startBad starts a plain ReverseProxy as make spoils it and returns its address.
func startBad(t *testing.T, base string, spoil func(*httputil.ReverseProxy) http.Handler) string {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	plain := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     transport,
		ErrorLog:      log.New(io.Discard, "", 0),
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.SetURL(u)
			pr.Out.Header["X-Forwarded-For"] = pr.In.Header["X-Forwarded-For"]
		},
	}
	front := httptest.NewUnstartedServer(spoil(plain))
	front.Config.ErrorLog = log.New(io.Discard, "", 0)
	front.Start()
	t.Cleanup(func() {
		front.CloseClientConnections()
		front.Close()
		for _, tr := range []http.RoundTripper{transport, plain.Transport} {
			if tr, ok := tr.(*http.Transport); ok {
				tr.CloseIdleConnections()
			}
		}
	})
	return front.Listener.Addr().String()
}
