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
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"killick/compaction"
	"killick/proxy/target"
	"killick/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a proxy on loopback in front of an upstream.
type rig struct {
	t      testing.TB
	proxy  *Proxy
	url    string // of the proxy
	addr   string
	client *http.Client
	logs   *syncBuffer
}

// newRig starts an upstream and a proxy in front of its /base.
func newRig(t testing.TB, upstream http.Handler, change ...func(*Options)) *rig {
	t.Helper()
	up := httptest.NewServer(upstream)
	t.Cleanup(func() {
		up.CloseClientConnections()
		up.Close()
	})
	return newRigAt(t, up.URL+"/base", change...)
}

// newRigAt starts a proxy in front of a base URL.
func newRigAt(t testing.TB, base string, change ...func(*Options)) *rig {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	logs := new(syncBuffer)
	opt := Options{Upstream: target.Upstream{BaseURL: u},
		Logger: slog.New(slog.NewJSONHandler(logs, nil))}
	for _, c := range change {
		c(&opt)
	}
	p, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(p.Handler())
	srv.Config = p.newServer(p.Handler(), context.Background())
	srv.Start()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true,
		MaxIdleConnsPerHost: 64}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		srv.CloseClientConnections()
		srv.Close()
		p.Close()
	})
	return &rig{t: t, proxy: p, url: srv.URL, addr: srv.Listener.Addr().String(), client: client,
		logs: logs}
}

// request makes a request to the proxy; header holds names and values in turn.
func (r *rig) request(method, path string, body io.Reader, header ...string) *http.Request {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	return req
}

type answer struct {
	*http.Response
	body []byte
	err  error // of reading the body
}

func (r *rig) do(req *http.Request) answer {
	r.t.Helper()
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", req.Method, req.URL.Path, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return answer{Response: res, body: body, err: err}
}

const chatPath = "/v1/chat/completions"

// chat sends a chat request.
func (r *rig) chat(body string, header ...string) answer {
	r.t.Helper()
	return r.do(r.request("POST", chatPath, strings.NewReader(body), header...))
}

// wire sends raw bytes to the proxy and reads one reply.
func (r *rig) wire(raw string) (*http.Response, net.Conn) {
	r.t.Helper()
	conn := r.dial()
	if _, err := io.WriteString(conn, raw); err != nil {
		r.t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return res, conn
}

func (r *rig) dial() net.Conn {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

// logLine waits for the nth access log line, counted from 0.
func (r *rig) logLine(n int) string {
	r.t.Helper()
	var lines []string
	r.eventually("an access log line", func() bool {
		lines = nil
		for line := range strings.Lines(r.logs.String()) {
			if strings.Contains(line, `"msg":"request"`) {
				lines = append(lines, line)
			}
		}
		return len(lines) > n
	})
	return lines[n]
}

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("waited 30s for %s; log:\n%s", what, r.logs)
		}
	}
}

// metric returns the sum of a metric's samples whose line holds all of labels.
func (r *rig) metric(name string, labels ...string) float64 {
	r.t.Helper()
	w := httptest.NewRecorder()
	r.proxy.AdminHandler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	sum := 0.0
lines:
	for line := range strings.Lines(w.Body.String()) {
		rest, ok := strings.CutPrefix(line, name)
		if !ok || rest[0] != '{' && rest[0] != ' ' {
			continue
		}
		for _, l := range labels {
			if !strings.Contains(rest, l) {
				continue lines
			}
		}
		var v float64
		if _, err := fmt.Sscan(rest[strings.LastIndexByte(rest, ' ')+1:], &v); err != nil {
			r.t.Fatal(err)
		}
		sum += v
	}
	return sum
}

// received is what an upstream got.
type received struct {
	*http.Request
	body []byte
}

// recorder is an upstream that keeps what it gets and answers a completion.
type recorder struct {
	mu  sync.Mutex
	got []received
	// answer, if set, answers in its place.
	answer http.HandlerFunc
}

const completion = `{"id":"c1","object":"chat.completion","choices":[{"index":0,"message":` +
	`{"role":"assistant","content":"The \"usage\":{} of it."},"finish_reason":"stop"}],` +
	`"usage":{"prompt_tokens":70,"completion_tokens":5,"total_tokens":75,` +
	`"prompt_tokens_details":{"cached_tokens":64}}}`

func (u *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	u.mu.Lock()
	u.got = append(u.got, received{r, body})
	u.mu.Unlock()
	if u.answer != nil {
		u.answer(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, completion)
}

// last returns the newest request.
func (u *recorder) last() received {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.got) == 0 {
		return received{Request: new(http.Request)}
	}
	return u.got[len(u.got)-1]
}

func (u *recorder) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.got)
}

// rawUpstream answers every connection by a function over its bytes, and returns
// the base URL.
func rawUpstream(t testing.TB, serve func(conn net.Conn, in *bufio.Reader)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			mu.Lock()
			conns = append(conns, conn)
			mu.Unlock()
			wg.Go(func() {
				defer conn.Close()
				serve(conn, bufio.NewReader(conn))
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return "http://" + l.Addr().String()
}

// fake is a Compactor of function fields.
type fake struct {
	fits    func([]byte) bool // if nil, nothing fits
	compact func(context.Context, Request) compaction.Outcome
}

func (f fake) Fits(body []byte, _, _, _ string) bool { return f.fits != nil && f.fits(body) }

func (f fake) Compact(ctx context.Context, req Request) compaction.Outcome {
	return f.compact(ctx, req)
}

func always([]byte) bool { return true }

// unchanged is a Compactor that parses and leaves everything as it is.
func unchanged(o *Options) {
	o.Compactor = fake{compact: func(_ context.Context, r Request) compaction.Outcome {
		return compaction.Outcome{Body: r.Chat.Raw(), Raw: 100, Sent: 100,
			Reason: "under the trigger"}
	}}
}

// keepLast is a Compactor that keeps the last message alone.
func keepLast(_ context.Context, r Request) compaction.Outcome {
	n := len(r.Chat.Messages())
	return compaction.Outcome{
		Body:   r.Chat.Splice([]view.Piece{{From: n - 1, To: n}}),
		Masked: true,
		Folded: true,
		Raw:    1000, Sent: 400,
		Probe: &compaction.Probe{Held: 37, Of: 40, Repaired: 1,
			Model: &compaction.ModelProbe{Verdict: "pass", Score: 0.83, Verified: 14, Written: 16,
				Asked: 3}},
		Dropped: []compaction.Dropped{{Kind: "tool_output", Count: 3, Tokens: 500},
			{Kind: "turn", Count: 2}},
		Reason: "over the trigger",
		Made:   []string{"mask", "summary"},
	}
}

func compacting(o *Options) { o.Compactor = fake{compact: keepLast} }

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
