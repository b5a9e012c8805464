package proxy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"
)

// oddBodies are what a proxy that decodes and encodes again would change.
var oddBodies = map[string]string{
	"lone surrogate": `{"model":"m","messages":[{"role":"user","content":"half \ud83d of it"}]}`,
	"number": `{"temperature":2.50,"seed":12345678901234567890,` +
		`"messages":[{"role":"user","content":"a"}]}`,
	"duplicate keys": `{"model":"a","model":"b","messages":[{"role":"user","content":"a"}]}`,
	"messages twice": `{"messages":[{"role":"user","content":"a"}],` +
		`"messages":[{"role":"user","content":"b"}]}`,
	"white space":  " {\n\t\"messages\" : [ {\"role\":\"user\",\"content\":\"a\"} ]\r\n} \n",
	"no messages":  `{"model":"m"}`,
	"an array":     `[1,2.0,"\u0041"]`,
	"not JSON":     "prompt=hello&x=\x00\xff",
	"empty object": `{}`,
	"empty":        ``,
	"one byte":     `{`,
	"null":         `null`,
	"deep":         strings.Repeat("[", 20000),
	"byte order":   "\uFEFF{}",
	"HTML":         `{"messages":[{"role":"user","content":"<a href=\"&\">\u003c"}]}`,
}

func TestBodiesPassByteForByte(t *testing.T) {
	for name, set := range map[string]func(*Options){
		"no compactor": func(*Options) {},
		"fits":         func(o *Options) { o.Compactor = fake{fits: always} },
		"unchanged":    unchanged,
		"observe": func(o *Options) {
			compacting(o)
			o.Mode = ModeObserve
		},
		"off": func(o *Options) {
			compacting(o)
			o.Mode = ModeOff
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := new(recorder)
			r := newRig(t, up, set)
			for odd, body := range oddBodies {
				for _, path := range []string{chatPath, "/v1/responses", "/elsewhere"} {
					a := r.do(r.request("POST", path, strings.NewReader(body)))
					if got := up.last(); string(got.body) != body || a.StatusCode != 200 {
						t.Errorf("%s to %s: got %.80q, status %d; want it as sent", odd, path,
							got.body, a.StatusCode)
					}
				}
			}
		})
	}
}

func TestBodiesOfEverySizePassByteForByte(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, unchanged)
	// of a length that no buffer has
	text := bytes.Repeat([]byte("abcdefghijklmnopqrstuvwxyz0123456789."), 20_000_000/37+1)
	sizes := []int{2, 3, 100, 1 << 10, 4095, 4096, 4097, 16 << 10, 16<<10 + 1, 64 << 10, 100_000,
		1 << 20, 5_000_001, 20_000_000}
	for _, size := range sizes {
		body := []byte(`{"messages":[{"role":"user","content":"`)
		if size < 64 {
			body = body[:0]
		}
		body = append(body, text[:size-len(body)]...)
		if size >= 64 {
			copy(body[size-4:], `"}]}`)
		}
		for _, known := range []bool{true, false} {
			var src io.Reader = bytes.NewReader(body)
			if !known {
				src = struct{ io.Reader }{src} // sent in chunks
			}
			a := r.do(r.request("POST", chatPath, src))
			if got := up.last(); !bytes.Equal(got.body, body) || a.StatusCode != 200 {
				t.Fatalf("%d bytes, length known: %t: got %d bytes, status %d", size, known,
					len(got.body), a.StatusCode)
			}
			if got := up.last(); got.ContentLength != int64(size) {
				t.Errorf("%d bytes: got content length %d", size, got.ContentLength)
			}
		}
	}
}

func TestRepliesPassByteForByte(t *testing.T) {
	body := bytes.Repeat([]byte(`{"a": 2.50, "b":"\ud83d"}`+"\n\x00"), 100_000)
	up := &recorder{answer: func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
		w.Header().Set("X-Request-Id", "req_1")
		w.Header().Set("X-Ratelimit-Remaining-Tokens", "17")
		w.Header().Set("Retry-After", "3")
		w.Header().Set("Openai-Processing-Ms", "12")
		w.Header().Set("Killick-Action", "forged")
		w.Header()["Content-Type"] = nil
		w.WriteHeader(429)
		_, _ = w.Write(body)
	}}
	r := newRig(t, up)
	for _, path := range []string{chatPath, "/v1/files/x/content"} {
		a := r.do(r.request("POST", path, strings.NewReader("{}")))
		if a.StatusCode != 429 || !bytes.Equal(a.body, body) || a.err != nil {
			t.Errorf("%s: got %d, %d bytes, %v; want 429 and %d bytes as sent", path, a.StatusCode,
				len(a.body), a.err, len(body))
		}
		for name, want := range map[string][]string{
			"Set-Cookie": {"a=1", "b=2"}, "X-Request-Id": {"req_1"}, "Retry-After": {"3"},
			"X-Ratelimit-Remaining-Tokens": {"17"}, "Openai-Processing-Ms": {"12"},
			"Content-Type": nil,
		} {
			if !slices.Equal(a.Header[name], want) {
				t.Errorf("%s: header %s: got %q, want %q", path, name, a.Header[name], want)
			}
		}
		want := ""
		if path == chatPath {
			want = "none"
		}
		if got := a.Header.Get("Killick-Action"); got != want {
			t.Errorf("%s: Killick-Action: got %q, want %q", path, got, want)
		}
	}
}

// TestRequestsPassAsSent compares what the upstream reads off the wire.
func TestRequestsPassAsSent(t *testing.T) {
	heads := make(chan string, 1)
	base := rawUpstream(t, func(conn net.Conn, in *bufio.Reader) {
		for {
			line, err := textproto.NewReader(in).ReadLine()
			if err != nil {
				return
			}
			h, err := textproto.NewReader(in).ReadMIMEHeader()
			if err != nil {
				return
			}
			names := make([]string, 0, len(h))
			for name, values := range h {
				names = append(names, name+"="+strings.Join(values, "|"))
			}
			slices.Sort(names)
			heads <- line + " " + strings.Join(names, " ")
			_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		}
	})
	r := newRigAt(t, base+"/base/v9/")
	host := strings.TrimPrefix(base, "http://")
	for _, test := range []struct{ send, want string }{
		// Paths and queries.
		{"GET /v1/models", "GET /base/v9/models"},
		{"GET /v1/models/org%2Fname%20x", "GET /base/v9/models/org%2Fname%20x"},
		{"GET /v1//models//", "GET /base/v9//models//"},
		{"GET /v1/a/../b/./c", "GET /base/v9/a/../b/./c"},
		{"GET /v1/files/", "GET /base/v9/files/"},
		{"GET /v1", "GET /base/v9"},
		{"GET /v1/", "GET /base/v9/"},
		{"GET /v1x/models", "GET /v1x/models"},
		{"GET /models", "GET /base/v9/models"},
		{"GET /models/gpt-x", "GET /base/v9/models/gpt-x"},
		{"DELETE /files/f-1", "DELETE /base/v9/files/f-1"},
		{"GET /", "GET /"},
		{"GET //", "GET //"},
		{"GET //evil.example/x", "GET //evil.example/x"},
		{"GET /other/Path;p=1/%C3%A9/é", "GET /other/Path;p=1/%C3%A9/é"},
		{"GET /a\"b<c>|{d}^`\\e", "GET /a\"b<c>|{d}^`\\e"},
		{"GET /a#b", "GET /a#b"},
		{"GET /%zz", ""}, // no URL at all; the server refuses it
		{"GET /v1/models?", "GET /base/v9/models?"},
		{"GET /v1/models?a=1;b=2&a=%zz&&c", "GET /base/v9/models?a=1;b=2&a=%zz&&c"},
		{"GET /openai/deployments/d%2F1/embeddings?api-version=2024-06-01",
			"GET /openai/deployments/d%2F1/embeddings?api-version=2024-06-01"},
		{"GET http://evil.example/v1/models?x=1", "GET /base/v9/models?x=1"},
		{"GET http://evil.example", "GET /"},
		{"OPTIONS *", "OPTIONS *"},
		{"OPTIONS /v1/chat/completions", "OPTIONS /base/v9/chat/completions"},
		{"GET /v1/chat/completions?limit=2", "GET /base/v9/chat/completions?limit=2"},
		{"PROPFIND /dav", "PROPFIND /dav"},
	} {
		conn := r.dial()
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: proxy\r\n\r\n", test.send)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", test.send, err)
		}
		if test.want == "" {
			if res.StatusCode != 400 {
				t.Errorf("%s: got status %d, want 400", test.send, res.StatusCode)
			}
			continue
		}
		if got, want := <-heads, test.want+" HTTP/1.1 Host="+host; got != want {
			t.Errorf("%s:\n got %s\nwant %s", test.send, got, want)
		}
	}

	// Headers: what is sent stays, hop-by-hop ones and ours apart, and nothing
	// is made up.
	_, _ = r.wire("GET /v1/models HTTP/1.1\r\nHost: proxy\r\n" +
		"x-stainless-lang: python\r\nX-SESSION-ID: s1\r\nAccept-Encoding: gzip, br, " +
		"zstd\r\nUser-Agent: agent/1\r\n" +
		"X-Multi: a\r\nX-Multi: b, c\r\nX-Forwarded-For: 10.0.0.1\r\nForwarded: " +
		"for=10.0.0.1\r\nX-Request-Id: q\r\n" +
		"Killick-Mode: off\r\nkillick-Anything: x\r\nConnection: keep-alive, X-Hop\r\nX-Hop: " +
		"1\r\nKeep-Alive: 5\r\n" +
		"Proxy-Authorization: Basic x\r\nAuthorization: Bearer sk-1\r\nCookie: a=1; b=2\r\n\r\n")
	want := "GET /base/v9/models HTTP/1.1 Accept-Encoding=gzip, br, zstd Authorization=Bearer " +
		"sk-1 Cookie=a=1; b=2 " +
		"Forwarded=for=10.0.0.1 Host=" + host + " User-Agent=agent/1 X-Forwarded-For=10.0.0.1 " +
		"X-Multi=a|b, c X-Request-Id=q X-Session-Id=s1 X-Stainless-Lang=python"
	if got := <-heads; got != want {
		t.Errorf("headers:\n got %s\nwant %s", got, want)
	}
}

func TestBaseURLQueryIsKept(t *testing.T) {
	up := new(recorder)
	srv := httptest.NewServer(up)
	defer srv.Close()
	r := newRigAt(t, srv.URL+"/openai?api-version=preview")
	for path, want := range map[string]string{
		"/v1/models":     "/openai/models?api-version=preview",
		"/v1/models?a=1": "/openai/models?api-version=preview&a=1",
	} {
		r.do(r.request("GET", path, nil))
		if got := up.last().RequestURI; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestConnectIsRefused(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up)
	res, _ := r.wire("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n")
	if res.StatusCode != 405 || up.count() != 0 {
		t.Errorf("got status %d and %d requests upstream, want 405 and none", res.StatusCode,
			up.count())
	}
}

func TestHeadKeepsTheLengthOfWhatIsNotSent(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1234")
		w.Header().Set("Etag", `"x"`)
	}))
	a := r.do(r.request("HEAD", "/v1/files/f/content", nil))
	if a.ContentLength != 1234 || a.Header.Get("Etag") != `"x"` || a.StatusCode != 200 {
		t.Errorf("got status %d, length %d, Etag %s", a.StatusCode, a.ContentLength,
			a.Header.Get("Etag"))
	}
}

func TestConnectionsAreUsedAgain(t *testing.T) {
	up := httptest.NewUnstartedServer(new(recorder))
	conns := make(chan struct{}, 100)
	up.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns <- struct{}{}
		}
	}
	up.Start()
	defer up.Close()
	r := newRigAt(t, up.URL)
	for range 20 {
		r.chat(`{"messages":[]}`)
	}
	if len(conns) != 1 {
		t.Errorf("20 requests in turn took %d connections to the upstream, want 1", len(conns))
	}
}

func TestParallelClients(t *testing.T) {
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	})
	r := newRig(t, up, unchanged)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	errs := make(chan error, 32)
	for i := range 32 {
		go func() {
			for j := range 15 {
				body := fmt.Sprintf(`{"messages":[{"role":"user","content":%q}]}`,
					strings.Repeat(fmt.Sprintf("%d-%d ", i, j), 1+i*j*10))
				req := r.request("POST", chatPath, strings.NewReader(body)).WithContext(ctx)
				res, err := r.client.Do(req)
				if err != nil {
					errs <- err
					return
				}
				got, err := io.ReadAll(res.Body)
				res.Body.Close()
				if err == nil && string(got) != body {
					err = fmt.Errorf("got %d bytes of %d", len(got), len(body))
				}
				if err != nil {
					errs <- fmt.Errorf("client %d, request %d: %w", i, j, err)
					return
				}
			}
			errs <- nil
		}()
	}
	for range 32 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
