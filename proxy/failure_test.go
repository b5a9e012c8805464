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
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestUpstreamFaultsBeforeTheReply(t *testing.T) {
	refusing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + refusing.Addr().String()
	refusing.Close()

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
	plain := httptest.NewServer(new(recorder))
	defer plain.Close()

	for name, test := range map[string]struct {
		base   string
		status int
		kind   string
	}{
		"refused":         {refused, 502, "upstream_refused"},
		"no such name":    {"http://no-such-host.invalid", 502, "upstream_dns"},
		"untrusted":       {untrusted.URL, 502, "upstream_tls"},
		"no TLS at all":   {strings.Replace(plain.URL, "http:", "https:", 1), 502, "upstream_tls"},
		"hanging":         {hanging, 504, "upstream_timeout"},
		"closing":         {closing, 502, "upstream_reset"},
		"resetting":       {resetting, 502, "upstream_reset"},
		"not HTTP":        {garbage, 502, "upstream_reset"},
		"a broken header": {badHeader, 502, "upstream_reset"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigAt(t, test.base+"/secret-path", func(o *Options) {
				o.Timeouts.FirstByte = 100 * time.Millisecond
				o.Timeouts.Connect = time.Second
			})
			for i, path := range []string{chatPath + "?key=hunter2", "/v1/files?key=hunter2"} {
				a := r.do(r.request("POST", path, strings.NewReader(`{"x":"hunter2"}`), "Authorization", "Bearer hunter2"))
				if a.StatusCode != test.status {
					t.Fatalf("%s: got %d %s, want %d", path, a.StatusCode, a.body, test.status)
				}
				checkError(t, a, test.kind)
				line := r.logLine(i)
				if !strings.Contains(line, fmt.Sprintf(`"status":%d`, test.status)) || !strings.Contains(line, test.kind) {
					t.Errorf("log: %s", line)
				}
				if text := r.logs.String() + string(a.body); strings.Contains(text, "hunter2") || strings.Contains(text, "secret-path") {
					t.Errorf("log or reply quote what they must not: %s", text)
				}
			}
			if got := r.metric("killick_upstream_errors_total", fmt.Sprintf("kind=%q", test.kind)); got != 2 {
				t.Errorf("upstream errors of kind %s: got %v, want 2", test.kind, got)
			}
		})
	}
}

func TestConnectTimeout(t *testing.T) {
	// A dialer that never comes through, by way of an outbound proxy that hangs
	// in the TLS handshake.
	hanging := rawUpstream(t, func(_ net.Conn, in *bufio.Reader) { _, _ = io.Copy(io.Discard, in) })
	r := newRigAt(t, strings.Replace(hanging, "http:", "https:", 1), func(o *Options) { o.Timeouts.Connect = 50 * time.Millisecond })
	a := r.chat("{}")
	if a.StatusCode != 504 {
		t.Errorf("got %d", a.StatusCode)
	}
	checkError(t, a, "upstream_connect_timeout")
}

// TestSlowUploadIsNoTimeout: the first-byte time counts from the request sent.
func TestSlowUploadIsNoTimeout(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, func(o *Options) { o.Timeouts.FirstByte = 150 * time.Millisecond })
	pr, pw := io.Pipe()
	go func() {
		for range 8 {
			_, _ = io.WriteString(pw, "piece")
			time.Sleep(50 * time.Millisecond)
		}
		pw.Close()
	}()
	a := r.do(r.request("POST", "/v1/files", pr))
	if a.StatusCode != 200 || len(up.last().body) != 40 {
		t.Errorf("got %d %s", a.StatusCode, a.body)
	}
}

// TestCutRepliesAreErrors: what breaks off upstream never ends well here.
func TestCutRepliesAreErrors(t *testing.T) {
	event := "data: {\"choices\":[]}\n\n"
	for name, reply := range map[string]string{
		"content length": "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":",
		"nothing of it":  "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
		"chunked": "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
			fmt.Sprintf("%x\r\n%s\r\n", len(event), event),
		"within a chunk": "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
			fmt.Sprintf("%x\r\n%s", len(event)+10, event),
		"bad chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	} {
		for _, reset := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, reset: %t", name, reset), func(t *testing.T) {
				base := rawUpstream(t, func(c net.Conn, in *bufio.Reader) {
					req, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					_, _ = io.WriteString(c, reply)
					if reset {
						time.Sleep(10 * time.Millisecond)
						_ = c.(*net.TCPConn).SetLinger(0)
					}
				})
				r := newRigAt(t, base, unchanged)
				for i, path := range []string{chatPath, "/v1/files"} {
					res, err := r.client.Do(r.request("POST", path, strings.NewReader(threeTurns)))
					if err == nil {
						_, err = io.ReadAll(res.Body)
						res.Body.Close()
					}
					if err == nil {
						t.Errorf("%s: a reply that broke off reached the client as a whole one", path)
					}
					if line := r.logLine(i); !strings.Contains(line, "upstream_cut") {
						t.Errorf("%s: log: %s", path, line)
					}
				}
				if got := r.metric("killick_upstream_errors_total", `kind="upstream_cut"`); got != 2 {
					t.Errorf("got %v cut replies counted, want 2", got)
				}
			})
		}
	}
}

func TestSilentUpstreamIsCut(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 5 { // slower than the limit in all, never at once
			_, _ = io.WriteString(w, "data: {}\n\n")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(60 * time.Millisecond)
		}
		<-r.Context().Done()
	}), func(o *Options) { o.Timeouts.Idle = 150 * time.Millisecond })
	a := r.chat("{}")
	if a.err == nil || strings.Count(string(a.body), "data: {}") != 5 {
		t.Errorf("got %q, %v; want five events and then an error", a.body, a.err)
	}
	if line := r.logLine(0); !strings.Contains(line, "upstream_idle") {
		t.Errorf("log: %s", line)
	}
}

// TestClientLeavesCancelsUpstream within 100 ms, at any stage.
func TestClientLeavesCancelsUpstream(t *testing.T) {
	for name, first := range map[string]string{"before the reply": "", "in mid-stream": "data: {}\n\n"} {
		for _, path := range []string{chatPath, "/v1/responses"} {
			t.Run(name+" "+path, func(t *testing.T) {
				entered, gone := make(chan struct{}), make(chan time.Time, 1)
				r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					if first != "" {
						w.Header().Set("Content-Type", "text/event-stream")
						_, _ = io.WriteString(w, first)
						_ = http.NewResponseController(w).Flush()
					}
					close(entered)
					<-r.Context().Done()
					gone <- time.Now()
				}), unchanged)
				conn := r.dial()
				fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: %d\r\n\r\n%s", path, len(threeTurns), threeTurns)
				<-entered
				if first != "" {
					res, err := http.ReadResponse(bufio.NewReader(conn), nil)
					if err != nil {
						t.Fatal(err)
					}
					_, _ = io.ReadFull(res.Body, make([]byte, len(first)))
				}
				left := time.Now()
				conn.Close()
				if took := (<-gone).Sub(left); took > 100*time.Millisecond {
					t.Errorf("the upstream was cancelled after %v", took)
				}
				if line := r.logLine(0); !strings.Contains(line, `"status":499`) {
					t.Errorf("log: %s", line)
				}
				if got := r.metric("killick_upstream_errors_total"); got != 0 {
					t.Errorf("the upstream is blamed: %v", got)
				}
				if got := r.metric("killick_requests_total", `status="499"`); got != 1 {
					t.Errorf("got %v requests of status 499", got)
				}
			})
		}
	}
}

// TestClientCutsItsUpload: half a request is nobody's request.
func TestClientCutsItsUpload(t *testing.T) {
	for _, path := range []string{chatPath, "/v1/files"} {
		ended := make(chan error, 1)
		r := newRig(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			ended <- err
		}))
		conn := r.dial()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: 1000\r\n\r\nhalf", path)
		time.Sleep(20 * time.Millisecond)
		conn.Close()
		if line := r.logLine(0); !strings.Contains(line, `"status":499`) {
			t.Errorf("%s: log: %s", path, line)
		}
		select {
		case err := <-ended:
			if err == nil {
				t.Errorf("%s: the upstream took half a body for a whole one", path)
			}
		case <-time.After(50 * time.Millisecond): // it never got there
		}
	}
}

func TestBadlyFramedBodyIsRefused(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up)
	res, _ := r.wire("POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
	if res.StatusCode != 400 || up.count() != 0 {
		t.Errorf("got %d, and %d requests upstream", res.StatusCode, up.count())
	}
	// Both framings at once are how requests are smuggled: one of them goes.
	res, _ = r.wire("POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
	if got := up.last(); res.StatusCode != 200 || string(got.body) != "{}" || got.ContentLength != 2 || len(got.TransferEncoding) != 0 {
		t.Errorf("got %d, forwarded %q, length %d, %v", res.StatusCode, got.body, got.ContentLength, got.TransferEncoding)
	}
}

func TestSlowBodyTimesOut(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, func(o *Options) { o.Timeouts.Body = 100 * time.Millisecond })
	res, _ := r.wire("POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nContent-Length: 1000\r\n\r\nhalf")
	if res.StatusCode != 408 || up.count() != 0 {
		t.Errorf("got %d, and %d requests upstream", res.StatusCode, up.count())
	}
	// The deadline of one body is not that of the next request's.
	conn := r.dial()
	in := bufio.NewReader(conn)
	for range 2 {
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: 2\r\n\r\n{}", chatPath)
		res, err := http.ReadResponse(in, nil)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("got %v, %v", res, err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		time.Sleep(150 * time.Millisecond)
	}
}

// TestSlowReplyOutlivesTheBodyDeadline: it must not end the request.
func TestSlowReplyOutlivesTheBodyDeadline(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(200 * time.Millisecond)
		_, _ = io.WriteString(w, "late")
	}), func(o *Options) { o.Timeouts.Body = 50 * time.Millisecond })
	if a := r.chat("{}"); string(a.body) != "late" {
		t.Errorf("got %d %s", a.StatusCode, a.body)
	}
}

// TestClientThatDoesNotReadIsLeft: it holds a stream for so long and no longer,
// and nothing is buffered for it.
func TestClientThatDoesNotReadIsLeft(t *testing.T) {
	gone := make(chan int64, 1)
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		piece := make([]byte, 64<<10)
		var sent int64
		for {
			n, err := w.Write(piece)
			sent += int64(n)
			if err != nil {
				gone <- sent
				return
			}
		}
	}), func(o *Options) { o.Timeouts.Stall = 200 * time.Millisecond })
	conn := r.dial()
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	_, _ = io.WriteString(conn, "GET /v1/files/f/content HTTP/1.1\r\nHost: p\r\n\r\n")
	select {
	case sent := <-gone:
		if sent > 64<<20 {
			t.Errorf("the upstream could send %d bytes to a client that reads none", sent)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the stream is still held")
	}
	if line := r.logLine(0); !strings.Contains(line, `"status":499`) {
		t.Errorf("log: %s", line)
	}
}

// TestQuietStreamOutlivesTheStall: a deadline for writing is none for waiting.
func TestQuietStreamOutlivesTheStall(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			_, _ = io.WriteString(w, "data: {}\n\n")
			_ = http.NewResponseController(w).Flush()
			time.Sleep(120 * time.Millisecond)
		}
	}), func(o *Options) { o.Timeouts.Stall = 80 * time.Millisecond })
	if a := r.chat("{}"); a.err != nil || len(a.body) != 30 {
		t.Errorf("got %q, %v", a.body, a.err)
	}
}

func TestPanicsAreContained(t *testing.T) {
	r := newRig(t, new(recorder))
	r.proxy.transport.Proxy = func(*http.Request) (*url.URL, error) { panic("hunter2") }
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
	if strings.Contains(r.logs.String(), "hunter2") || !strings.Contains(r.logs.String(), "TestPanicsAreContained") {
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
	modify := r.proxy.reverse.ModifyResponse
	r.proxy.reverse.ModifyResponse = func(res *http.Response) error {
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
	r := newRig(t, up, compacting, func(o *Options) { o.Who = func(...string) string { panic("hunter2") } })
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
	return newRigAt(t, up.URL, unchanged, func(o *Options) { o.TLS = conf })
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
		o.OutboundProxy = mustParse(t, outbound.URL)
	})
	if a := r.chat(threeTurns); a.StatusCode != 200 {
		t.Fatalf("got %d %s", a.StatusCode, a.body)
	}
	if got := <-asked; got != "http://upstream.example/v1/chat/completions" {
		t.Errorf("the outbound proxy was asked for %s", got)
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
			if err := <-s.done; err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
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
