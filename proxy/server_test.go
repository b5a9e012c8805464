package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"killick/proxy/target"
)

func mustParse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// served is a proxy run by Serve.
type served struct {
	public, admin string // URLs
	stop          context.CancelFunc
	done          chan error
	client        *http.Client
}

func newServed(t *testing.T, upstream http.Handler, change ...func(*Options)) *served {
	t.Helper()
	up := httptest.NewServer(upstream)
	opt := Options{Upstream: target.Upstream{BaseURL: mustParse(t, up.URL)}}
	for _, c := range change {
		c(&opt)
	}
	p, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &served{stop: stop, done: make(chan error, 1),
		client: &http.Client{Transport: new(http.Transport)},
		public: "http://" + listeners[0].Addr().String(), admin: "http://" +
			listeners[1].Addr().String()}
	finished := make(chan struct{})
	go func() {
		s.done <- p.Serve(ctx, listeners[0], listeners[1])
		close(finished)
	}()
	t.Cleanup(func() {
		stop()
		<-finished
		s.client.CloseIdleConnections()
		up.CloseClientConnections()
		up.Close()
	})
	return s
}

// fullListener fails as without a free file descriptor, once for each value of failures.
type fullListener struct {
	net.Listener
	failures chan struct{}
}

func (l fullListener) Accept() (net.Conn, error) {
	if _, ok := <-l.failures; !ok {
		return l.Listener.Accept()
	}
	return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}
}

// Connections that cannot be accepted are counted, and logged once a minute.
func TestConnectionsThatAreNotAccepted(t *testing.T) {
	var log bytes.Buffer
	r := newRig(t, nil, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	synctest.Test(t, func(t *testing.T) {
		full := fullListener{failures: make(chan struct{}, 1)}
		a := &acceptor{Listener: full, proxy: r.proxy}
		for range 121 { // two minutes
			full.failures <- struct{}{}
			if _, err := a.Accept(); !errors.Is(err, syscall.EMFILE) {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
	})
	if got := r.metric("killick_accept_failures_total"); got != 121 {
		t.Errorf("%v failures are counted, want 121", got)
	}
	const line = "accept4: too many open files; raise the limit"
	if got := strings.Count(log.String(), line); got != 3 {
		t.Errorf("%d lines, want 3:\n%s", got, log.String())
	}
}

// Serve survives them: once connections are accepted again, so are clients.
func TestServeWatchesItsListeners(t *testing.T) {
	var log bytes.Buffer
	p, err := New(Options{Upstream: target.Upstream{BaseURL: mustParse(t, "http://127.0.0.1:9")},
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	failures := make(chan struct{}, 2)
	failures <- struct{}{}
	failures <- struct{}{}
	close(failures)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.Serve(ctx, fullListener{l, failures}, nil) }()
	res, err := http.Get("http://" + l.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	stop()
	if err := <-done; err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("status %d, %v", res.StatusCode, err)
	}
	if !strings.Contains(log.String(), "connections of clients are not accepted") {
		t.Errorf("the log does not say it:\n%s", log.String())
	}
}

func (s *served) get(path string) answer {
	base := s.public
	if rest, ok := strings.CutPrefix(path, "admin:"); ok {
		base, path = s.admin, rest
	}
	res, err := s.client.Get(base + path)
	if err != nil {
		return answer{Response: new(http.Response), err: err}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{Response: res, body: body, err: err}
}

func TestServeDrainsStreams(t *testing.T) {
	t.Parallel() // it sleeps
	entered, release := make(chan struct{}), make(chan struct{})
	s := newServed(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "data: 1\n\n")
		_ = http.NewResponseController(w).Flush()
		close(entered)
		<-release
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}), func(o *Options) { o.Timeouts.Notice = 2 * time.Second })
	if a := s.get("/readyz"); a.StatusCode != 200 {
		t.Fatalf("readyz: got %d, want 200", a.StatusCode)
	}
	got := make(chan answer, 1)
	go func() { got <- s.get("/v1/stream") }()
	<-entered
	s.stop()

	// Notice is given before the listener closes; requests are still taken.
	a := s.get("/readyz")
	for ; a.StatusCode == 200; a = s.get("/readyz") {
		time.Sleep(time.Millisecond)
	}
	if a.StatusCode != 503 {
		t.Errorf("readyz while draining: got %d, %v; want 503", a.StatusCode, a.err)
	}
	if a := s.get("/healthz"); a.StatusCode != 200 {
		t.Errorf("healthz while draining: got %d, %v; want 200", a.StatusCode, a.err)
	}
	end := time.Now().Add(30 * time.Second)
	for ; s.get("/readyz").err == nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("connections are taken long after the notice")
		}
	}
	if a := s.get("admin:/readyz"); a.StatusCode != 503 {
		t.Errorf("the operator cannot watch the drain: %d %s %v", a.StatusCode, a.body, a.err)
	}
	close(release)
	if a := <-got; a.err != nil || string(a.body) != "data: 1\n\ndata: [DONE]\n\n" {
		t.Errorf("the stream was cut: %q, %v", a.body, a.err)
	}
	if err := <-s.done; err != nil {
		t.Errorf("Serve: got %v, want nil", err)
	}
}

func TestServeDrainsUpgradedConnections(t *testing.T) {
	s := newServed(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = buf.WriteString("HTTP/1.1 101 Switching Protocols\r\nConnection: " +
			"Upgrade\r\nUpgrade: websocket\r\n\r\n")
		_ = buf.Flush()
		_, _ = io.Copy(conn, buf)
	}), func(o *Options) { o.Timeouts.Drain = time.Minute })
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.public, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET /v1/realtime HTTP/1.1\r\nHost: p\r\nConnection: Upgrade\r\nUpgrade: "+
		"websocket\r\n\r\n")
	in := bufio.NewReader(conn)
	if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != 101 {
		t.Fatalf("got %v, %v", res, err)
	}
	s.stop()
	time.Sleep(100 * time.Millisecond)
	fmt.Fprint(conn, "still here")
	echo := make([]byte, 10)
	if _, err := io.ReadFull(in, echo); err != nil || string(echo) != "still here" {
		t.Errorf("the connection was cut while it drained: %q, %v", echo, err)
	}
	conn.Close()
	if err := <-s.done; err != nil {
		t.Errorf("Serve: got %v, want nil", err)
	}
}

func TestServeReportsAListenerThatFails(t *testing.T) {
	p, err := New(Options{Upstream: target.Upstream{BaseURL: mustParse(t, "http://127.0.0.1:1")}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := p.Serve(t.Context(), l, nil); err == nil ||
		!strings.Contains(err.Error(), "serving") {
		t.Errorf("got %v", err)
	}
}

func TestOwnPaths(t *testing.T) {
	r := newRig(t, new(recorder), func(o *Options) { o.Version = "v1.2.3" })
	for _, test := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/healthz", 200, `{"status":"ok"}`},
		{"HEAD", "/healthz", 200, ""},
		{"GET", "/readyz", 200, `{"status":"ready"}`},
		{"GET", "/killick/version", 200, `{"name":"killick","version":"v1.2.3"}`},
		{"POST", "/healthz", 405, ""},
		{"GET", "/killick", 404, ""},
		{"GET", "/killick/version/", 404, ""},
		{"GET", "/killick/%2e%2e/v1/models", 404, ""},
		{"GET", "/killick/nothing", 404, ""},
	} {
		a := r.do(r.request(test.method, test.path, nil))
		if a.StatusCode != test.status || test.body != "" && string(a.body) != test.body {
			t.Errorf("%s %s: got %d %s", test.method, test.path, a.StatusCode, a.body)
		}
		if test.status == 404 {
			checkError(t, a, "not_found")
		}
	}
	r.proxy.draining.Store(true)
	if a := r.do(r.request("GET", "/readyz", nil)); a.StatusCode != 503 ||
		string(a.body) != `{"status":"not ready"}` {
		t.Errorf("not ready: got %d %s", a.StatusCode, a.body)
	}
}

func TestNewReportsEveryFault(t *testing.T) {
	_, err := New(Options{Mode: "maybe", Isolation: "header:",
		Upstream: target.Upstream{BaseURL: mustParse(t, "ftp://u:hunter2@x/#f"), APIKey: "a\nb"}})
	if err == nil {
		t.Fatal("want an error")
	}
	for _, want := range []string{"upstream", "mode", "isolation", "API key"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want it to name %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %q, which quotes a credential", err)
	}
	for _, u := range []string{"http://u:p@host/v1", "https://host/#x", "/v1", "host:80"} {
		if _, err := New(Options{Upstream: target.Upstream{BaseURL: mustParse(t, u)}}); err == nil {
			t.Errorf("%s was accepted", u)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("no upstream was accepted")
	}
}

// TestSlowHeadersAreCut: a client that sends its header byte by byte holds
// nothing for long.
func TestSlowHeadersAreCut(t *testing.T) {
	r := newRig(t, new(recorder), func(o *Options) { o.Timeouts.Header = 100 * time.Millisecond })
	conn := r.dial()
	fmt.Fprint(conn, "GET /v1/models HTTP/1.1\r\nHost")
	began := time.Now()
	if _, err := io.ReadAll(conn); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it was held for %v", took)
	}
}

func TestLargeHeadersAreRefused(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, func(o *Options) { o.MaxHeader = 8 << 10 })
	res, _ := r.wire("GET /v1/models HTTP/1.1\r\nHost: p\r\nX: " + strings.Repeat("a", 20<<10) +
		"\r\n\r\n")
	if res.StatusCode != 431 || up.count() != 0 {
		t.Errorf("got %d, and %d requests upstream; want 431 and none", res.StatusCode, up.count())
	}
}
