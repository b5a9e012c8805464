package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"
)

// chatOf returns a chat request of about n bytes in messages of 2 KB.
func chatOf(n int) []byte {
	b := []byte(`{"model":"m","messages":[{"role":"system","content":"Be brief."}`)
	text := strings.Repeat(`some words and \"quotes\",\n`, 2000/26)
	for i := 0; len(b) < n-100; i++ {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		b = fmt.Appendf(b, `,{"role":%q,"content":"%d: %s"}`, role, i,
			text[:min(len(text)/26*26, max(26, (n-len(b)-80)/26*26))])
	}
	return append(b, `],"stream":false}`...)
}

// BenchmarkForward compares the ways through the proxy with a bare
// httputil.ReverseProxy: client, proxy and upstream in one process, over
// loopback, one request at a time.
func BenchmarkForward(b *testing.B) {
	upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, completion)
	})
	quiet := func(o *Options) { o.Logger = nil }
	for _, size := range []int{1 << 10, 100 << 10, 1 << 20} {
		body := chatOf(size)
		for _, way := range []string{"bare", "pass", "fits", "unchanged"} {
			b.Run(fmt.Sprintf("%s/%dKB", way, size>>10), func(b *testing.B) {
				var r *rig
				path := chatPath
				switch way {
				case "bare":
					r = newRig(b, upstream, quiet)
					srv := httptest.NewServer(bareProxy(r))
					defer srv.Close()
					r.url = srv.URL
				case "pass":
					r = newRig(b, upstream, quiet)
					path = "/v1/responses"
				case "fits":
					r = newRig(b, upstream, quiet,
						func(o *Options) { o.Compactor = fake{fits: always} })
				case "unchanged":
					r = newRig(b, upstream, quiet, unchanged)
				}
				b.ReportAllocs()
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					res, err := r.client.Post(r.url+path, "application/json", bytes.NewReader(body))
					if err != nil {
						b.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
				b.StopTimer()
				r.client.CloseIdleConnections()
			})
		}
	}
}

// bareProxy is the standard library's proxy to the same upstream.
func bareProxy(r *rig) http.Handler {
	target := *r.proxy.opt.Upstream.BaseURL
	return &httputil.ReverseProxy{
		Rewrite:   func(pr *httputil.ProxyRequest) { pr.SetURL(&target) },
		Transport: r.proxy.upstreams[0].Transport,
	}
}
