package proxy

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestUpstreamFaultsBeforeTheReply(t *testing.T) {
	untrusted := httptest.NewUnstartedServer(new(recorder))
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	defer untrusted.Close()

	hanging := rawUpstream(t, func(_ net.Conn, in *bufio.Reader) { _, _ = io.Copy(io.Discard, in) })
	closing := rawUpstream(t, func(_ net.Conn, in *bufio.Reader) { _, _ = http.ReadRequest(in) })
	resetting := rawUpstream(t, func(c net.Conn, in *bufio.Reader) {
		_, _ = http.ReadRequest(in)
		_ = c.(*net.TCPConn).SetLinger(0)
	})
	garbage := rawUpstream(t, func(c net.Conn, in *bufio.Reader) {
		_, _ = http.ReadRequest(in)
		_, _ = io.WriteString(c, "hunter2 is not HTTP\r\n\r\n")
	})
	badHeader := rawUpstream(t, func(c net.Conn, in *bufio.Reader) {
		_, _ = http.ReadRequest(in)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nhunter2\r\n\r\n")
	})
	noStatus := rawUpstream(t, func(c net.Conn, in *bufio.Reader) {
		_, _ = http.ReadRequest(in)
		_, _ = io.WriteString(c, "HTTP/1.1 000 hunter2\r\nContent-Length: 0\r\n\r\n")
	})
	plain := httptest.NewServer(new(recorder))
	defer plain.Close()

	for name, test := range map[string]struct {
		base   string
		status int
		kind   string
	}{
		"refused":         {"http://127.0.0.1:1", 502, "upstream_refused"},
		"no such name":    {"http://no-such-host.invalid", 502, "upstream_dns"},
		"untrusted":       {untrusted.URL, 502, "upstream_tls"},
		"no TLS at all":   {strings.Replace(plain.URL, "http:", "https:", 1), 502, "upstream_tls"},
		"hanging":         {hanging, 504, "upstream_timeout"},
		"closing":         {closing, 502, "upstream_reset"},
		"resetting":       {resetting, 502, "upstream_reset"},
		"not HTTP":        {garbage, 502, "upstream_reset"},
		"a broken header": {badHeader, 502, "upstream_reset"},
		"no status":       {noStatus, 502, "upstream_reset"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigAt(t, test.base+"/secret-path", func(o *Options) {
				if test.status == http.StatusGatewayTimeout {
					o.Timeouts.FirstByte = 100 * time.Millisecond
				}
				o.Timeouts.Connect = 10 * time.Second
			})
			for i, path := range []string{chatPath + "?key=hunter2", "/v1/files?key=hunter2"} {
				a := r.do(r.request("POST", path, strings.NewReader(`{"x":"hunter2"}`),
					"Authorization", "Bearer hunter2"))
				if test.status == http.StatusBadGateway &&
					!strings.Contains(string(a.body), "upstream.base_url") {
					t.Errorf("%s does not say what to check", a.body)
				}
				if name == "no TLS at all" && !strings.Contains(string(a.body), "http://") {
					t.Errorf("%s does not say what to write", a.body)
				}
				if a.StatusCode != test.status {
					t.Fatalf("%s: got %d %s, want %d", path, a.StatusCode, a.body, test.status)
				}
				checkError(t, a, test.kind)
				line := r.logLine(i)
				if !strings.Contains(line, fmt.Sprintf(`"status":%d`, test.status)) ||
					!strings.Contains(line, fmt.Sprintf(`"fault":%q,"cause":"`, test.kind)) {
					t.Errorf("log: %s", line)
				}
				if text := r.logs.String() + string(a.body); strings.Contains(text, "hunter2") ||
					strings.Contains(text, "secret-path") {
					t.Errorf("log or reply quote what they must not: %s", text)
				}
			}
			if got := r.metric("killick_upstream_errors_total",
				fmt.Sprintf("kind=%q", test.kind)); got != 2 {
				t.Errorf("upstream errors of kind %s: got %v, want 2", test.kind, got)
			}
		})
	}
}

func TestConnectTimeout(t *testing.T) {
	// A dialer that never comes through, by way of an outbound proxy that hangs
	// in the TLS handshake.
	hanging := rawUpstream(t, func(_ net.Conn, in *bufio.Reader) { _, _ = io.Copy(io.Discard, in) })
	r := newRigAt(t, strings.Replace(hanging, "http:", "https:", 1),
		func(o *Options) { o.Timeouts.Connect = 50 * time.Millisecond })
	a := r.chat("{}")
	if a.StatusCode != 504 {
		t.Errorf("got %d", a.StatusCode)
	}
	checkError(t, a, "upstream_connect_timeout")
}

// TestSlowUploadIsNoTimeout: the first-byte time counts from the request sent.
func TestSlowUploadIsNoTimeout(t *testing.T) {
	t.Parallel() // it sleeps
	const limit = 2 * time.Second
	up := new(recorder)
	r := newRig(t, up, func(o *Options) { o.Timeouts.FirstByte = limit })
	pr, pw := io.Pipe()
	go func() {
		for range 4 {
			_, _ = io.WriteString(pw, "piece")
			time.Sleep(limit * 3 / 10)
		}
		pw.Close()
	}()
	a := r.do(r.request("POST", "/v1/files", pr))
	if a.StatusCode != 200 || len(up.last().body) != 20 {
		t.Errorf("got %d %s", a.StatusCode, a.body)
	}
}

// TestCutRepliesAreErrors: what is cut off upstream never ends well here. If nothing of the reply
// had reached the client, it gets an error.
func TestCutRepliesAreErrors(t *testing.T) {
	event := "data: {\"choices\":[]}\n\n"
	for name, reply := range map[string]string{
		"content length": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
			"100\r\n\r\n{\"a\":",
		"nothing of it": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
		"chunked": "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n" +
			fmt.Sprintf("%x\r\n%s\r\n", len(event), event),
		"within a chunk": "HTTP/1.1 200 OK\r\nContent-Type: " +
			"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
			fmt.Sprintf("%x\r\n%s", len(event)+10, event),
		"bad chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	} {
		for _, reset := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, reset: %t", name, reset), func(t *testing.T) {
				headed := make(chan struct{}, 2) // the proxy has read a header
				base := rawUpstream(t, func(c net.Conn, in *bufio.Reader) {
					req, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					_, _ = io.WriteString(c, reply)
					if !reset {
						return
					}
					select { // a reset takes away what was not read
					case <-headed:
						_ = c.(*net.TCPConn).SetLinger(0)
					case <-time.After(time.Minute):
					}
				})
				r := newRigAt(t, base, unchanged)
				for _, reverse := range []*httputil.ReverseProxy{r.proxy.reverseOther,
					r.proxy.reverseChat} {
					modify := reverse.ModifyResponse
					reverse.ModifyResponse = func(res *http.Response) error {
						headed <- struct{}{}
						return modify(res)
					}
				}
				for i, path := range []string{chatPath, "/v1/files"} {
					a := r.do(r.request("POST", path, strings.NewReader(threeTurns)))
					switch {
					case a.err == nil && a.StatusCode == http.StatusBadGateway:
						checkError(t, a, "upstream_cut")
					case a.err == nil:
						t.Errorf("%s: a reply that was cut off reached the client as a whole one",
							path)
					case name == "nothing of it":
						t.Errorf("%s: got %v, want 502", path, a.err)
					}
					if line := r.logLine(i); !strings.Contains(line, "upstream_cut") {
						t.Errorf("%s: log: %s", path, line)
					}
				}
				if got := r.metric("killick_upstream_errors_total",
					`kind="upstream_cut"`); got != 2 {
					t.Errorf("got %v cut replies counted, want 2", got)
				}
			})
		}
	}
}

func TestSilentUpstreamIsCut(t *testing.T) {
	t.Parallel() // it sleeps
	const limit = 2 * time.Second
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 4 { // slower than the limit in all, never at once
			_, _ = io.WriteString(w, "data: {}\n\n")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(limit * 3 / 10)
		}
		<-r.Context().Done()
	}), func(o *Options) { o.Timeouts.Idle = limit })
	a := r.chat("{}")
	if a.err == nil || strings.Count(string(a.body), "data: {}") != 4 {
		t.Errorf("got %q, %v; want four events and then an error", a.body, a.err)
	}
	if line := r.logLine(0); !strings.Contains(line, "upstream_idle") {
		t.Errorf("log: %s", line)
	}
}

func TestPanicsAreContained(t *testing.T) {
	r := newRig(t, new(recorder))
	r.proxy.upstreams[0].Transport.Proxy = func(*http.Request) (*url.URL, error) {
		panic("hunter2")
	}
	for i, path := range []string{chatPath, "/v1/files"} {
		a := r.do(r.request("POST", path, strings.NewReader(threeTurns)))
		if a.StatusCode != 500 {
			t.Errorf("%s: got %d", path, a.StatusCode)
		}
		checkError(t, a, "internal")
		r.logLine(i)
	}
	if got := r.metric("killick_panics_total"); got != 2 {
		t.Errorf("got %v panics counted, want 2", got)
	}
	if strings.Contains(r.logs.String(), "hunter2") ||
		!strings.Contains(r.logs.String(), "TestPanicsAreContained") {
		t.Errorf("the log quotes the panic or lacks its stack: %s", r.logs)
	}
}

// TestPanicInMidReplyAborts: half a reply must not end well.
func TestPanicInMidReplyAborts(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		time.Sleep(20 * time.Millisecond)
		_, _ = io.WriteString(w, "data: 2\n\n")
	}))
	modify := r.proxy.reverseChat.ModifyResponse
	r.proxy.reverseChat.ModifyResponse = func(res *http.Response) error {
		err := modify(res)
		res.Body = panicking{res.Body}
		return err
	}
	a := r.chat("{}")
	if a.err == nil {
		t.Errorf("got %q as a whole reply", a.body)
	}
	r.logLine(0)
	if got := r.metric("killick_panics_total"); got != 1 {
		t.Errorf("got %v panics counted, want 1", got)
	}
}

// panicking is a body whose second read panics.
type panicking struct{ io.ReadCloser }

func (p panicking) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if strings.Contains(string(b[:n]), "2") {
		panic("no")
	}
	return n, err
}

// TestWhoThatFailsIsSurvived: without an identity nothing is compacted.
func TestWhoThatFailsIsSurvived(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, compacting, func(o *Options) {
		o.Who = func(...string) string { panic("hunter2") }
	})
	a := r.chat(threeTurns)
	if a.StatusCode != 200 || string(up.last().body) != threeTurns {
		t.Errorf("got %d, forwarded %q", a.StatusCode, up.last().body)
	}
	r.logLine(0)
	if got := r.metric("killick_fail_opens_total", `reason="identity"`); got != 1 {
		t.Errorf("got %v fail-opens, want 1", got)
	}
}

// secured starts an upstream that speaks HTTP/2 and wants a client certificate.
func secured(t *testing.T, h http.Handler) *rig {
	t.Helper()
	up := httptest.NewUnstartedServer(h)
	up.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	up.EnableHTTP2 = true
	up.StartTLS()
	t.Cleanup(up.Close)
	conf := up.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	conf.Certificates = up.TLS.Certificates
	return newRigAt(t, up.URL, unchanged, func(o *Options) { o.Upstream.TLS = conf })
}

func TestOperatorsTLSIsHonoured(t *testing.T) {
	up := new(recorder)
	r := secured(t, up)
	if a := r.chat(threeTurns); a.StatusCode != 200 || string(a.body) != completion {
		t.Errorf("got %d %s", a.StatusCode, a.body)
	}
	if got := up.last(); got.ProtoMajor != 2 || string(got.body) != threeTurns {
		t.Errorf("the upstream got %q over HTTP/%d, want HTTP/2", got.body, got.ProtoMajor)
	}
}

func TestCutHTTP2RepliesAreErrors(t *testing.T) {
	r := secured(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	if a := r.chat(threeTurns); a.err == nil {
		t.Errorf("got %q as a whole reply", a.body)
	}
	if line := r.logLine(0); !strings.Contains(line, "upstream_cut") {
		t.Errorf("log: %s", line)
	}
}

func TestOutboundProxyIsHonoured(t *testing.T) {
	asked := make(chan string, 1)
	outbound := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.RequestURI
	}))
	defer outbound.Close()
	r := newRigAt(t, "http://upstream.example/v1", func(o *Options) {
		o.Upstream.OutboundProxy = mustParse(t, outbound.URL)
	})
	if a := r.chat(threeTurns); a.StatusCode != 200 {
		t.Fatalf("got %d %s", a.StatusCode, a.body)
	}
	if got := <-asked; got != "http://upstream.example/v1/chat/completions" {
		t.Errorf("the outbound proxy was asked for %s", got)
	}
}

// TestOutboundProxyRefuses: what its operator has to check is the proxy, not the upstream.
func TestOutboundProxyRefuses(t *testing.T) {
	outbound := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer outbound.Close()
	r := newRigAt(t, "https://upstream.example/v1", func(o *Options) {
		o.Upstream.OutboundProxy = mustParse(t, outbound.URL)
	})
	a := r.chat(threeTurns)
	checkError(t, a, "upstream_proxy")
	if line := r.logLine(0); a.StatusCode != 502 || !strings.Contains(line, "status 407") {
		t.Errorf("got %d, log: %s", a.StatusCode, line)
	}
}

// TestStopEndsWhatOutlastsTheDrain and says so.
func TestStopEndsWhatOutlastsTheDrain(t *testing.T) {
	for name, begun := range map[string]bool{"before the reply": false, "in mid-stream": true} {
		t.Run(name, func(t *testing.T) {
			entered := make(chan struct{})
			s := newServed(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if begun {
					_, _ = io.WriteString(w, "data: {}\n\n")
					_ = http.NewResponseController(w).Flush()
				}
				close(entered)
				<-r.Context().Done()
			}), func(o *Options) { o.Timeouts.Drain = 100 * time.Millisecond })
			got := make(chan answer, 1)
			go func() { got <- s.get("/v1/slow") }()
			<-entered
			s.stop()
			if err := <-s.done; err == nil || !strings.Contains(err.Error(),
				context.DeadlineExceeded.Error()) {
				t.Errorf("Serve: got %v, want that the drain took too long", err)
			}
			a := <-got
			if begun && a.err == nil {
				t.Errorf("got %q as a whole reply", a.body)
			}
			if !begun && a.StatusCode != 503 {
				t.Errorf("got %d, %v; want 503", a.StatusCode, a.err)
			}
		})
	}
}
