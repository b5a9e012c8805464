package proxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"killick/compaction"
)

// leavingBound is how long an upstream may continue after its client has left. The promise is 100
// ms, and on an idle machine it takes a few. A busy one may take longer at times; what is wrong
// takes longer each time.
const (
	leavingBound = 100 * time.Millisecond
	leavingTries = 20
)

// TestClientLeavesCancelsUpstream within 100 ms, at any stage.
func TestClientLeavesCancelsUpstream(t *testing.T) {
	for name, first := range map[string]string{"before the reply": "",
		"in mid-stream": "data: {}\n\n"} {
		for _, path := range []string{chatPath, "/v1/responses"} {
			t.Run(name+" "+path, func(t *testing.T) {
				withinBound(t, func() time.Duration { return leave(t, path, first) })
			})
		}
	}
}

// withinBound takes the best of some tries.
func withinBound(t *testing.T, leave func() time.Duration) {
	t.Helper()
	took := leavingBound + 1
	for try := 0; took > leavingBound; try++ {
		if try == leavingTries {
			t.Fatalf("the upstream was cancelled after %v at last, at most %v is promised", took,
				leavingBound)
		}
		took = leave()
	}
}

// leave leaves an upstream that has sent the first of its reply, and returns how
// long that takes to reach it.
func leave(t *testing.T, path, first string) time.Duration {
	t.Helper()
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
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: %d\r\n\r\n%s", path,
		len(threeTurns), threeTurns)
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
	took := (<-gone).Sub(left)
	if line := r.logLine(0); !strings.Contains(line, `"status":499`) {
		t.Errorf("log: %s", line)
	}
	if got := r.metric("killick_upstream_errors_total"); got != 0 {
		t.Errorf("the upstream is blamed: %v", got)
	}
	if got := r.metric("killick_requests_total", `status="499"`); got != 1 {
		t.Errorf("got %v requests of status 499", got)
	}
	return took
}

// TestHalfClosedClients: a client that has closed its sending side and still reads
// looks like one that has left. The upstream is cancelled, and the client is sent
// the reason, which must not pass for a reply.
func TestHalfClosedClients(t *testing.T) {
	whole := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(threeTurns), threeTurns)
	for name, test := range map[string]struct {
		path, body string
		began      bool // the reply, before the client half-closes
		compacting bool // the request is held by the Compactor
		never      bool // it never reaches the upstream
	}{
		"before a reply":       {path: chatPath, body: whole},
		"before one elsewhere": {path: "/v1/responses", body: whole},
		"without a body":       {path: "/v1/models", body: "\r\n"},
		"in mid-stream":        {path: chatPath, body: whole, began: true},
		"while compacting":     {path: chatPath, body: whole, compacting: true, never: true},
		"in its upload": {path: chatPath, body: "Content-Length: 1000\r\n\r\nhalf",
			never: true},
	} {
		t.Run(name, func(t *testing.T) {
			entered, gone := make(chan struct{}, 2), make(chan struct{})
			r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if test.began {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "data: {}\n\n")
					_ = http.NewResponseController(w).Flush()
				}
				entered <- struct{}{}
				<-r.Context().Done()
				close(gone)
			}), func(o *Options) {
				o.Compactor = fake{
					compact: func(ctx context.Context, r Request) compaction.Outcome {
						if test.compacting {
							entered <- struct{}{}
							<-ctx.Done()
						}
						return compaction.Outcome{Body: r.Chat.Raw()}
					}}
			})
			conn, method := r.dial(), "POST"
			if test.body == "\r\n" {
				method = "GET"
			}
			fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: p\r\n%s", method, test.path, test.body)
			if !test.never || test.compacting {
				<-entered
			}
			in := bufio.NewReader(conn)
			if test.began {
				_, _ = in.Peek(1)
			}
			_ = conn.(*net.TCPConn).CloseWrite()
			res, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			switch {
			case test.began && (err == nil || string(body) != "data: {}\n\n"):
				t.Errorf("got %q, %v; want what came, then a connection that breaks", body, err)
			case !test.began && (err != nil || res.StatusCode != 499 ||
				!strings.Contains(string(body), `"code":"client_gone"`)):
				t.Errorf("got %d %q, %v; want 499 client_gone", res.StatusCode, body, err)
			}
			if !test.never {
				select {
				case <-gone:
				case <-time.After(10 * time.Second):
					t.Error("the upstream was not cancelled")
				}
			}
			if line := r.logLine(0); !strings.Contains(line, `"status":499`) {
				t.Errorf("log: %s", line)
			}
			if got := r.metric("killick_upstream_errors_total"); got != 0 {
				t.Errorf("the upstream is blamed: %v", got)
			}
		})
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
	res, _ := r.wire("POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: " +
		"chunked\r\n\r\nzz\r\n")
	if res.StatusCode != 400 || up.count() != 0 {
		t.Errorf("got %d, and %d requests upstream", res.StatusCode, up.count())
	}
	// Both framings at once are how requests are smuggled: one of them goes.
	res, _ = r.wire("POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nContent-Length: " +
		"4\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
	if got := up.last(); res.StatusCode != 200 || string(got.body) != "{}" ||
		got.ContentLength != 2 || len(got.TransferEncoding) != 0 {
		t.Errorf("got %d, forwarded %q, length %d, %v", res.StatusCode, got.body, got.ContentLength,
			got.TransferEncoding)
	}
}

func TestSlowBodyTimesOut(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, func(o *Options) { o.Timeouts.Body = 100 * time.Millisecond })
	const head = "POST " + chatPath + " HTTP/1.1\r\nHost: p\r\n"
	res, _ := r.wire(head + "Content-Length: 1000\r\n\r\nhalf")
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

// A client that leaves while its request is compacted is no internal error, however often it does:
// operators are to be alerted of those.
func TestClientLeavesTheCompactor(t *testing.T) {
	entered := make(chan struct{})
	r := newRig(t, new(recorder), func(o *Options) {
		o.Compactor = fake{compact: func(ctx context.Context, req Request) compaction.Outcome {
			close(entered)
			<-ctx.Done()
			out := failOpen("deadline", ctx.Err())
			out.Body = req.Chat.Raw()
			return out
		}}
	})
	conn := r.dial()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: %d\r\n\r\n%s", chatPath,
		len(threeTurns), threeTurns)
	<-entered
	_ = conn.Close()
	if line := r.logLine(0); !strings.Contains(line, `"status":499`) ||
		!strings.Contains(line, `"level":"INFO"`) || strings.Contains(line, "failed open") {
		t.Errorf("log: %s", line)
	}
	if n := r.metric("killick_fail_opens_total"); n != 0 {
		t.Errorf("counted as %v internal errors", n)
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
	case <-time.After(30 * time.Second):
		t.Fatal("the stream is still held")
	}
	if line := r.logLine(0); !strings.Contains(line, `"status":499`) {
		t.Errorf("log: %s", line)
	}
}

// TestQuietStreamOutlivesTheStall: a deadline for writing is none for waiting.
func TestQuietStreamOutlivesTheStall(t *testing.T) {
	t.Parallel() // it sleeps
	const limit = 800 * time.Millisecond
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := range 3 {
			if i > 0 {
				time.Sleep(limit * 3 / 2)
			}
			_, _ = io.WriteString(w, "data: {}\n\n")
			_ = http.NewResponseController(w).Flush()
		}
	}), func(o *Options) { o.Timeouts.Stall = limit })
	if a := r.chat("{}"); a.err != nil || len(a.body) != 30 {
		t.Errorf("got %q, %v", a.body, a.err)
	}
}
