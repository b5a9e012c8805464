package proxy

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"killick/proxy/auth"
)

// rawly sends bytes and returns the status of every answer until the proxy hangs
// up.
func (r *rig) rawly(request string) (statuses []int) {
	r.t.Helper()
	conn := r.dial()
	defer conn.Close()
	_, _ = io.WriteString(conn, request) // it may hang up in the middle
	in := bufio.NewReader(conn)
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return statuses
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return statuses
		}
		statuses = append(statuses, res.StatusCode)
	}
}

// Where two servers could disagree about where a request ends, nothing of it
// reaches the upstream.
func TestAmbiguousFramingIsRefused(t *testing.T) {
	const body = `{"messages":[]}`
	const second = "GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, head := range map[string]string{
		"two lengths":          "Content-Length: 15\r\nContent-Length: 16\r\n",
		"a list of lengths":    "Content-Length: 15, 16\r\n",
		"a signed length":      "Content-Length: +15\r\n",
		"a length with a unit": "Content-Length: 15 bytes\r\n",
		"an unknown coding":    "Transfer-Encoding: gzip, chunked\r\n",
		"two codings": "Transfer-Encoding: chunked\r\nTransfer-Encoding: " +
			"identity\r\n",
		"a coding after a tab":     "Transfer-Encoding:\x0bchunked\r\n",
		"a space before the colon": "Content-Length : 15\r\n",
		"a control byte in a name": "X-\x01: a\r\nContent-Length: 15\r\n",
		"a zero byte in a value":   "X-A: a\x00b\r\nContent-Length: 15\r\n",
		"a lone CR in a value": "X-A: a\rTransfer-Encoding: chunked\r\n" +
			"Content-Length: 15\r\n",
		"no name":                    ": a\r\nContent-Length: 15\r\n",
		"a line without a colon":     "nothing\r\nContent-Length: 15\r\n",
		"a folded first line":        " folded: a\r\nContent-Length: 15\r\n",
		"a name in another alphabet": "X-ä: a\r\nContent-Length: 15\r\n",
		"a host given twice":         "Host: y\r\nContent-Length: 15\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			up := new(recorder)
			r := newRig(t, up)
			got := r.rawly("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n" + head + "\r\n" +
				body + second)
			if len(got) != 1 || got[0] != http.StatusBadRequest &&
				got[0] != http.StatusNotImplemented {
				t.Errorf("answered %v, want one 400 or 501", got)
			}
			if up.count() != 0 {
				t.Errorf("the upstream got %s %s", up.last().Method, up.last().RequestURI)
			}
		})
	}
}

// What net/http takes in one way alone goes upstream framed again: the upstream sees one request
// and nothing of the client's framing.
func TestFramingIsOurOwn(t *testing.T) {
	const body = `{"messages":[]}`
	for name, request := range map[string]string{
		"a coding beside a length": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n" +
			body + "\r\n0\r\n\r\n",
		"chunk extensions": "Transfer-Encoding: chunked\r\n\r\nf;a=\"b\"\r\n" + body +
			"\r\n0;c\r\n\r\n",
		"lines that end in LF":  "Content-Length: 15\n\n" + body,
		"the same length twice": "Content-Length: 15\r\nContent-Length: 15\r\n\r\n" + body,
	} {
		t.Run(name, func(t *testing.T) {
			up := new(recorder)
			r := newRig(t, up)
			got := r.rawly("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n" +
				"Connection: close\r\n" + request)
			if len(got) != 1 || got[0] != http.StatusOK && got[0] != http.StatusBadRequest {
				t.Errorf("answered %v", got)
			}
			if len(got) == 1 && got[0] == http.StatusOK {
				if last := up.last(); up.count() != 1 || string(last.body) != body ||
					last.ContentLength != 15 || len(last.TransferEncoding) > 0 {
					t.Errorf("the upstream got %d requests, the last one %q, length %d", up.count(),
						last.body, last.ContentLength)
				}
			}
		})
	}
}

// What is streamed reaches the upstream as it comes. Where its framing breaks in the middle, the
// upstream's request is broken off too: it never ends, and nothing after it is read as another.
func TestBrokenFramingBreaksOff(t *testing.T) {
	const second = "GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	for name, rest := range map[string]string{
		"a size that is none":   "zz\r\n" + second,
		"a chunk without end":   "2\r\nab" + second,
		"the end in a trailer":  "0\r\nX-A\r\n\r\n" + second,
		"a size that overflows": "fffffffffffffffff\r\n" + second,
	} {
		for _, path := range []string{"/v1/files", chatPath} {
			t.Run(name+path, func(t *testing.T) {
				r := newRig(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err == nil {
						t.Errorf("the upstream got %s %s whole", r.Method, r.URL.Path)
					}
				}))
				got := r.rawly("POST " + path + " HTTP/1.1\r\nHost: x\r\n" +
					"Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n" + rest)
				if len(got) > 1 {
					t.Errorf("answered %v, want one answer at most", got)
				}
			})
		}
	}
}

// A request that is answered before its body came is the last on its connection: what comes later
// is the rest of that body, whatever it looks like.
func TestTheRemainderOfABodyIsNotARequest(t *testing.T) {
	const second = "GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
	early := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/base/smuggled" {
			t.Error("the rest of a body was forwarded as a request")
		}
		_ = http.NewResponseController(w).EnableFullDuplex() // else it waits for the body
	})
	for name, c := range map[string]struct {
		path string
		set  func(*Options)
		want int
	}{
		"without a key":       {chatPath, withKey(""), http.StatusUnauthorized},
		"too large":           {chatPath, func(o *Options) { o.MaxBody = 10 }, 413},
		"the upstream's word": {"/v1/files", func(*Options) {}, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, early, unchanged, c.set)
			res, conn := r.wire(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\n"+
				"Content-Length: %d\r\n\r\n", c.path, len(second)))
			if res.StatusCode != c.want {
				t.Errorf("status %d, want %d", res.StatusCode, c.want)
			}
			if !res.Close {
				t.Error("the connection is kept")
			}
			_, _ = io.WriteString(conn, second) // it may have hung up
			if next, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
				t.Errorf("the rest of the body was answered %d", next.StatusCode)
			}
		})
	}
}

// A request whose body came whole leaves its connection open.
func TestConnectionsAreKept(t *testing.T) {
	r := newRig(t, new(recorder), unchanged)
	for _, path := range []string{chatPath, "/v1/files"} {
		for _, body := range []string{"Content-Length: 2\r\n\r\n{}",
			"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "\r\n"} {
			res, _ := r.wire("POST " + path + " HTTP/1.1\r\nHost: x\r\n" + body)
			if res.StatusCode != http.StatusOK || res.Close {
				t.Errorf("%s with %.20q: status %d, closed: %t", path, body, res.StatusCode,
					res.Close)
			}
		}
	}
}

// Nothing that a client writes chooses the host that its request goes to, nor a
// path outside of what it asked for.
func TestNoClientChoosesTheUpstream(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("a client chose the upstream")
	}))
	defer elsewhere.Close()
	host := strings.TrimPrefix(elsewhere.URL, "http://")
	for _, c := range []struct{ target, head, want string }{
		{elsewhere.URL + "/v1/models", "Host: " + host, "/base/models"},
		{elsewhere.URL, "Host: " + host, "/"},
		{"/v1/models", "Host: " + host, "/base/models"},
		{"/v1/models", "Host: x\r\nX-Forwarded-Host: " + host, "/base/models"},
		{"/v1/models", "Host: x\r\nForwarded: host=" + host, "/base/models"},
		{"/v1/models", "Host: x\r\nX-Original-Url: " + elsewhere.URL + "\r\nX-Rewrite-Url: /admin",
			"/base/models"},
		{"//" + host + "/v1/models", "Host: x", "//" + host + "/v1/models"},
		{"/v1//" + host + "/models", "Host: x", "/base//" + host + "/models"},
		{"/v1/@" + host + "/models", "Host: x", "/base/@" + host + "/models"},
		{"/v1/..%2f..%2fadmin", "Host: x", "/base/..%2f..%2fadmin"},
		{"/v1/%2e%2e/admin", "Host: x", "/base/%2e%2e/admin"},
		{"/v1/a%5c..%5cadmin", "Host: x", "/base/a%5c..%5cadmin"},
		{"/v1/models?url=" + elsewhere.URL, "Host: x", "/base/models?url=" + elsewhere.URL},
	} {
		up := new(recorder)
		r := newRig(t, up)
		got := r.rawly("GET " + c.target + " HTTP/1.1\r\nConnection: close\r\n" + c.head +
			"\r\n\r\n")
		if len(got) != 1 || got[0] != http.StatusOK || up.count() != 1 {
			t.Errorf("%s with %q: answered %v, the upstream got %d", c.target, c.head, got,
				up.count())
			continue
		}
		if last := up.last(); last.RequestURI != c.want || last.Host == host {
			t.Errorf("%s with %q: the upstream got %s at %s, want %s", c.target, c.head,
				last.RequestURI, last.Host, c.want)
		}
	}
}

func TestHeadersHaveALimit(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, func(o *Options) { o.MaxHeader = 8 << 10 })
	for name, head := range map[string]string{
		"one value":  "X-A: " + strings.Repeat("a", 64<<10) + "\r\n",
		"many names": strings.Repeat("X-A: a\r\n", 10_000),
	} {
		if got := r.rawly("GET /v1/models HTTP/1.1\r\nHost: x\r\n" + head +
			"\r\n"); len(got) != 1 || got[0] != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("%s: answered %v, want 431", name, got)
		}
	}
	if up.count() != 0 {
		t.Error("it reached the upstream")
	}
}

// Clients that trickle hold a connection for as long as the settings say.
func TestSlowClientsAreCutOff(t *testing.T) {
	t.Parallel() // it sleeps
	up := new(recorder)
	r := newRig(t, up, unchanged, func(o *Options) {
		o.Timeouts.Header,
			o.Timeouts.Body = 2*time.Second, 200*time.Millisecond
	})
	for name, start := range map[string]string{
		"header": "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-A: ",
		"body":   "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
	} {
		conn := r.dial()
		if _, err := io.WriteString(conn, start); err != nil {
			t.Fatal(err)
		}
		reply, err := io.ReadAll(conn) // the rig's own deadline is far away
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "body" && !strings.Contains(string(reply), "408 ") {
			t.Errorf("a slow body is answered %.60q, want 408", reply)
		}
	}
	if up.count() != 0 {
		t.Error("it reached the upstream")
	}
}

const inbound = "an-inbound-key-of-team-a"

func withKey(upstream string) func(*Options) {
	return func(o *Options) {
		o.Keys = []auth.Key{{Name: "a", SHA256: sha256.Sum256([]byte(inbound)), Upstream: upstream}}
	}
}

// The answer does not wait for a body that nobody will read.
func TestNoKeyNoBody(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, withKey(""))
	for name, head := range map[string]string{
		"none":       "",
		"unknown":    "Authorization: Bearer somebody-elses-key-here\r\n",
		"too long":   "Authorization: Bearer " + inbound + "x\r\n",
		"no scheme":  "Authorization: " + inbound + "\r\n",
		"in a query": "X-Nothing: a\r\n",
	} {
		conn := r.dial()
		_, err := fmt.Fprintf(conn, "POST /v1/chat/completions?api-key=%s HTTP/1.1\r\nHost: "+
			"x\r\n%sContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n", inbound, head)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, 512)
		n, _ := io.ReadFull(res.Body, body[:res.ContentLength])
		if res.StatusCode != http.StatusUnauthorized ||
			res.Header.Get("WWW-Authenticate") != "Bearer" ||
			!strings.Contains(string(body[:n]), `"code":"invalid_api_key"`) {
			t.Errorf("%s: %d %s", name, res.StatusCode, body[:n])
		}
		conn.Close()
	}
	if line := r.logLine(0); strings.Contains(line, `"action"`) {
		t.Errorf("an action of a request that was refused before: %s", line)
	}
	if up.count() != 0 || strings.Contains(r.logs.String(), inbound) {
		t.Error("it reached the upstream or the log")
	}
}

// Where a key is presented, and that it is nowhere in what the upstream gets.
func TestInboundKeyIsReplaced(t *testing.T) {
	const bearer, own = "Bearer " + inbound, "Authorization: Bearer sk-up"
	for _, c := range []struct{ name, target, header, value, want string }{
		{"bearer", "/v1/models", "Authorization", bearer, own},
		{"any case", "/v1/models", "Authorization", "bearer " + inbound, own},
		{"azure", "/openai/deployments/m/chat/completions", "Api-Key", inbound, "Api-Key: sk-up"},
		{"x-api-key", "/v1/models", "X-Api-Key", inbound, own},
		{"api-key", "/v1/models", "Api-Key", inbound, own},
		{"api-key for messages", "/v1/messages/batches", "Api-Key", inbound, "X-Api-Key: sk-up"},
		{"messages", "/v1/messages/batches", "Authorization", bearer, "X-Api-Key: sk-up"},
		{"gemini", "/v1beta/models/m:countTokens", "Authorization", bearer,
			"X-Goog-Api-Key: sk-up"},
		{"a browser's socket", "/v1/realtime", "Sec-WebSocket-Protocol",
			"realtime, openai-insecure-api-key." + inbound + ", beta", own},
	} {
		up := new(recorder)
		r := newRig(t, up, withKey("sk-up"))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			r.url+c.target+"?a=1&api-key="+inbound+"&b=2", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(c.header, c.value)
		req.Header.Set("X-Litellm-Api-Key", inbound)
		req.Header.Set("Cookie", "key="+inbound)
		res, err := r.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		last := up.last()
		name, value, _ := strings.Cut(c.want, ": ")
		if res.StatusCode != http.StatusOK || last.Header.Get(name) != value {
			t.Errorf("%s: %d, %q", c.name, res.StatusCode, last.Header)
		}
		if last.URL.RawQuery != "a=1&b=2" || strings.Contains(fmt.Sprint(last.Header), inbound) {
			t.Errorf("%s: the upstream got %s and %q", c.name, last.URL.RawQuery, last.Header)
		}
		if c.header == "Sec-WebSocket-Protocol" && last.Header.Get(c.header) != "realtime, beta" {
			t.Errorf("the upstream got the protocols %q", last.Header.Get(c.header))
		}
		r.eventually("a request counted under the key's name",
			func() bool { return r.metric("killick_key_requests_total", `key="a"`) == 1 })
	}
}

func TestAdminToken(t *testing.T) {
	r := newRig(t, new(recorder), func(o *Options) { o.AdminToken = "the-token" })
	for _, c := range []struct {
		method, path, authorization string
		want                        int
	}{
		{"GET", "/metrics", "", 401}, {"GET", "/metrics", "Bearer the-token", 200},
		{"GET", "/metrics", "Bearer the-token2", 401},
		{"GET", "/metrics", "the-token", 401}, {"GET", "/healthz", "", 200},
		{"GET", "/readyz", "", 200},
		{"DELETE", "/killick/data", "", 401}, {"DELETE", "/killick/data", "Bearer the-token", 200},
		{"DELETE", "/killick/clients/a", "Bearer the-token", 400},
	} {
		w, req := httptest.NewRecorder(), httptest.NewRequest(c.method, c.path, nil)
		req.Header.Set("Authorization", c.authorization)
		if r.proxy.AdminHandler().ServeHTTP(w, req); w.Code != c.want {
			t.Errorf("%s %s with %q: %d, want %d", c.method, c.path, c.authorization, w.Code,
				c.want)
		}
	}
	open := newRig(t, new(recorder))
	for host, want := range map[string]int{"evil.example": 403, "evil.example:9464": 403,
		"localhost:9464": 200, "127.0.0.1:9464": 200, "[::1]:9464": 200} {
		w, req := httptest.NewRecorder(), httptest.NewRequest("DELETE", "/killick/data", nil)
		req.Host = host
		if open.proxy.AdminHandler().ServeHTTP(w, req); w.Code != want {
			t.Errorf("without a token, as %s: %d, want %d", host, w.Code, want)
		}
	}
}
