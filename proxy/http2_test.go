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
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"killick/proxy/body"
	"killick/proxy/target"
)

// onlyH2C are HTTP/2 without TLS and nothing else.
func onlyH2C() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

// h2cUpstream serves h over HTTP/2 without TLS alone.
func h2cUpstream(t *testing.T, h http.Handler) string {
	t.Helper()
	up := httptest.NewUnstartedServer(h)
	up.Config.Protocols = onlyH2C()
	up.Start()
	t.Cleanup(func() {
		up.CloseClientConnections()
		up.Close()
	})
	return up.URL
}

// overH2C makes the rig's client speak HTTP/2 without TLS.
func overH2C(r *rig) *rig {
	transport := &http.Transport{DisableCompression: true, Protocols: onlyH2C()}
	r.client = &http.Client{Transport: transport}
	r.t.Cleanup(transport.CloseIdleConnections)
	return r
}

func h2c(o *Options) { o.H2C = true }

// TestH2CFromClients: all that a client of HTTP/1.1 is owed, one of HTTP/2 is.
func TestH2CFromClients(t *testing.T) {
	up := &recorder{answer: func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/base/hints" {
			_, _ = io.WriteString(w, completion)
			return
		}
		w.Header().Set("Link", "</a>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "hinted")
		w.Header().Set("X-Sum", "42")
	}}
	r := overH2C(newRig(t, up, compacting, h2c))
	a := r.chat(threeTurns)
	if a.ProtoMajor != 2 || string(a.body) != completion || string(up.last().body) != lastTurn ||
		a.Header.Get("Killick-Action") != "mask, summary" {
		t.Errorf("got %s %s, %v; the upstream %q", a.Proto, a.body, a.Header, up.last().body)
	}
	large := `{"messages":[],"x":"` + strings.Repeat("0123456789", 2_000_000) + `"}`
	if a := r.do(r.request("POST", "/v1/files", strings.NewReader(large))); a.StatusCode != 200 ||
		string(up.last().body) != large {
		t.Errorf("got %d, the upstream got %d bytes of %d", a.StatusCode, len(up.last().body),
			len(large))
	}
	var hints []string
	req := r.request("GET", "/v1/hints", nil)
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			hints = append(hints, fmt.Sprint(code, h.Get("Link")))
			return nil
		},
	}))
	if a := r.do(req); len(hints) != 1 || hints[0] != "103</a>; rel=preload" ||
		a.Trailer.Get("X-Sum") != "42" {
		t.Errorf("got hints %q, trailer %v", hints, a.Trailer)
	}
}

// TestH2CIsOffUnlessConfigured.
func TestH2CIsOffUnlessConfigured(t *testing.T) {
	r := overH2C(newRig(t, new(recorder)))
	if res, err := r.client.Do(r.request("GET", "/v1/models", nil)); err == nil {
		res.Body.Close()
		t.Errorf("HTTP/2 without TLS was taken: %s", res.Proto)
	}
	up := new(recorder)
	res, _ := newRig(t, up).wire("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	if res.StatusCode != http.StatusHTTPVersionNotSupported || up.count() != 0 {
		t.Errorf("status %d, and %d requests upstream", res.StatusCode, up.count())
	}
}

// TestH2CUpstream: streams, trailers, cancellation and cut replies pass as over
// HTTP/1.1.
func TestH2CUpstream(t *testing.T) {
	protos := make(chan string, 1)
	gone := make(chan struct{}, 1)
	base := h2cUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/cut":
			_, _ = io.WriteString(w, "data: {}\n\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case "/waits":
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			gone <- struct{}{}
		default:
			protos <- r.Proto
			w.Header().Set("Trailer", "X-Sum")
			_, _ = w.Write(body)
			w.Header().Set("X-Sum", "42")
		}
	}))
	r := newRigAt(t, base, unchanged, func(o *Options) { o.Upstream.H2C = true })
	a := r.chat(oddBodies["lone surrogate"], "TE", "trailers")
	if got := <-protos; got != "HTTP/2.0" || string(a.body) != oddBodies["lone surrogate"] ||
		a.Trailer.Get("X-Sum") != "42" {
		t.Errorf("got %s, %q, trailer %v", got, a.body, a.Trailer)
	}
	if a := r.do(r.request("GET", "/cut", nil)); a.err == nil {
		t.Errorf("got %q for a whole reply", a.body)
	}
	ctx, cancel := context.WithCancel(t.Context())
	res, err := r.client.Do(r.request("GET", "/waits", nil).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	res.Body.Close()
	select {
	case <-gone:
	case <-time.After(30 * time.Second):
		t.Error("the upstream works on for nobody")
	}
}

// TestUpgradesPassBesideH2C: they have no way over HTTP/2, so they go as ever.
func TestUpgradesPassBesideH2C(t *testing.T) {
	up := httptest.NewUnstartedServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Upgrade") == "" {
				_, _ = io.WriteString(w, r.Proto)
				return
			}
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: "+
				"Upgrade\r\nUpgrade: x\r\n\r\n")
		}))
	up.Config.Protocols = onlyH2C()
	up.Config.Protocols.SetHTTP1(true)
	up.Start()
	defer up.Close()
	r := newRigAt(t, up.URL, func(o *Options) { o.Upstream.H2C = true })
	if a := r.do(r.request("GET", "/v1/models", nil)); string(a.body) != "HTTP/2.0" {
		t.Errorf("a request went over %s", a.body)
	}
	if res, _ := r.wire("GET /v1/realtime HTTP/1.1\r\nHost: p\r\nConnection: " +
		"Upgrade\r\nUpgrade: x\r\n\r\n"); res.StatusCode != 101 {
		t.Errorf("an upgrade got %d", res.StatusCode)
	}
}

// TestUpgradesToHTTP2AreNotPassed: requests in such a connection would go past the keys and the
// compactor.
func TestUpgradesToHTTP2AreNotPassed(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up)
	res, _ := r.wire("GET /v1/models HTTP/1.1\r\nHost: p\r\nConnection: Upgrade, HTTP2-Settings" +
		"\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n")
	h := up.last().Header
	if res.StatusCode != 200 || h.Get("Upgrade")+h.Get("Connection") != "" {
		t.Errorf("got %d, the upstream %v", res.StatusCode, h)
	}
}

// TestWebSocketsOverHTTP2AreNotOffered: a WebSocket within an HTTP/2 connection
// (RFC 8441) is tried only where the server announces it. Clients to which it
// announces nothing open a connection of HTTP/1.1 for it, and are served there.
func TestWebSocketsOverHTTP2AreNotOffered(t *testing.T) {
	r := newRig(t, &realtime{ended: make(chan error, 1)}, h2c)
	conn := r.dial()
	_, _ = io.WriteString(conn, http2.ClientPreface)
	frames := http2.NewFramer(conn, conn)
	_ = frames.WriteSettings()
	var block bytes.Buffer
	fields := hpack.NewEncoder(&block)
	for _, f := range [][2]string{{":method", "CONNECT"}, {":protocol", "websocket"},
		{":scheme", "http"},
		{":path", "/v1/realtime?model=gpt-realtime"}, {":authority", "p"},
		{"sec-websocket-version", "13"}} {
		_ = fields.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	_ = frames.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(),
		EndHeaders: true})
	for refused := false; !refused; {
		frame, err := frames.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if on, announced := f.Value(http2.SettingEnableConnectProtocol); announced && on != 0 {
				t.Error("WebSockets over HTTP/2 are announced")
			}
		case *http2.HeadersFrame:
			t.Fatal("one that was not announced got a reply")
		case *http2.RSTStreamFrame:
			if refused = true; f.ErrCode != http2.ErrCodeProtocol {
				t.Errorf("one that was not announced got %v, want %v", f.ErrCode,
					http2.ErrCodeProtocol)
			}
		}
	}
	dialRealtime(t, r) // over HTTP/1.1
	if a := overH2C(r).do(r.request("CONNECT", "/", nil)); a.StatusCode != 405 ||
		!strings.Contains(string(a.body), `"code":"connect_method"`) {
		t.Errorf("a tunnel: got %d %s", a.StatusCode, a.body)
	}
}

// TestRefusedHTTP2StreamsAreSentAgain: an upstream that restarts refuses streams that it has not
// processed. They are sent again, whole, and the client sees nothing of it.
func TestRefusedHTTP2StreamsAreSentAgain(t *testing.T) {
	bodies := make(chan string, 2)
	answer := func(frames *http2.Framer, id uint32, body string) {
		bodies <- body
		if id == 1 {
			_ = frames.WriteRSTStream(id, http2.ErrCodeRefusedStream)
			return
		}
		var block bytes.Buffer
		_ = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
		_ = frames.WriteHeaders(http2.HeadersFrameParam{StreamID: id,
			BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true})
	}
	base := rawUpstream(t, func(conn net.Conn, in *bufio.Reader) {
		answerStreams(conn, in, answer)
	})
	r := newRigAt(t, base, unchanged, func(o *Options) { o.Upstream.H2C = true })
	body := `{"messages":[]}` + strings.Repeat(" ", 10*body.Small)
	if a := r.chat(body); a.StatusCode != 200 {
		t.Fatalf("got %d %s", a.StatusCode, a.body)
	}
	for range 2 {
		if got := <-bodies; got != body {
			t.Errorf("the upstream got %d bytes, want %d", len(got), len(body))
		}
	}
}

// TestHTTP2ClientThatDoesNotReadIsLeft, while one that only waits is not: a
// deadline of HTTP/2 would end both.
func TestHTTP2ClientThatDoesNotReadIsLeft(t *testing.T) {
	gone := make(chan struct{}, 1)
	r := overH2C(newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/base/quiet" {
			for range 2 {
				_, _ = io.WriteString(w, "data: {}\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(900 * time.Millisecond)
			}
			return
		}
		piece := make([]byte, 64<<10)
		for {
			if _, err := w.Write(piece); err != nil {
				gone <- struct{}{}
				return
			}
		}
	}), h2c, func(o *Options) { o.Timeouts.Stall = 600 * time.Millisecond }))
	res, err := r.client.Do(r.request("GET", "/v1/flood", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	select {
	case <-gone:
	case <-time.After(30 * time.Second):
		t.Fatal("the stream is still held")
	}
	if a := r.do(r.request("GET", "/v1/quiet", nil)); a.err != nil || len(a.body) != 20 {
		t.Errorf("a quiet stream: got %q, %v", a.body, a.err)
	}
}

// Our own calls reach an upstream that only speaks HTTP/2 without TLS, as requests do.
func TestOwnCallsOverH2C(t *testing.T) {
	up := h2cUpstream(t, new(recorder))
	transport := (&target.Upstream{H2C: true}).NewTransport(0)
	t.Cleanup(transport.CloseIdleConnections)
	req, err := http.NewRequest(http.MethodPost, up, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.ProtoMajor != 2 {
		t.Errorf("answered over %s, want HTTP/2", res.Proto)
	}
}
