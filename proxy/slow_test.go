package proxy

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSlowIsNotSilent: time-outs are for silence. A model that thinks for long
// before its first byte, or sends a byte now and then, is waited for.
func TestSlowIsNotSilent(t *testing.T) {
	t.Parallel() // it sleeps
	const limit = 3 * time.Second
	const body = `{"id":"1","choices":[]}`
	for name, reply := range map[string]http.HandlerFunc{
		"long before the first byte": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(limit / 4)
			_, _ = io.WriteString(w, body)
		},
		"comments while it thinks": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 5 {
				_, _ = io.WriteString(w, ": thinking\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(limit / 4)
			}
			_, _ = io.WriteString(w, "data: "+body+"\n\n")
		},
		"a byte at a time": func(w http.ResponseWriter, _ *http.Request) {
			for i := range len(body) {
				_, _ = io.WriteString(w, body[i:i+1])
				_ = http.NewResponseController(w).Flush()
				time.Sleep(limit / 20)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, reply, func(o *Options) {
				o.Timeouts.FirstByte, o.Timeouts.Idle = limit,
					limit
			})
			began := time.Now()
			a := r.chat(threeTurns)
			if a.StatusCode != 200 || a.err != nil || !strings.Contains(string(a.body), body) {
				t.Errorf("after %v: got %d %q, %v", time.Since(began), a.StatusCode, a.body, a.err)
			}
		})
	}
}

// TestDefaultsAllowReasoning: as long as a first byte may take, silence in
// between may last too, and neither is shorter than what reasoning models take.
func TestDefaultsAllowReasoning(t *testing.T) {
	d := Timeouts{}.withDefaults()
	if d.FirstByte < 5*time.Minute || d.Idle < 5*time.Minute {
		t.Errorf("first byte %v, idle %v: want five minutes and more", d.FirstByte, d.Idle)
	}
}

// TestHalfClosedUpstream: an upstream may close its sending side. The framing shows whether
// the reply was whole.
func TestHalfClosedUpstream(t *testing.T) {
	for name, test := range map[string]struct {
		reply string
		want  string // of the body; "" if it must not come as a whole one
		kind  string
	}{
		"before a reply": {"", "", "upstream_reset"},
		"in mid-reply": {"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "",
			"upstream_cut"},
		"after all of it":    {"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfull", "full", ""},
		"the end is its end": {"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nfull", "full", ""},
	} {
		t.Run(name, func(t *testing.T) {
			base := rawUpstream(t, func(c net.Conn, in *bufio.Reader) {
				req, err := http.ReadRequest(in)
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, req.Body)
				_, _ = io.WriteString(c, test.reply)
				_ = c.(*net.TCPConn).CloseWrite()
				_, _ = io.Copy(io.Discard, in) // it goes on listening
			})
			r := newRigAt(t, base, unchanged)
			a := r.do(r.request("POST", chatPath, strings.NewReader(threeTurns)))
			switch {
			case test.want != "" && (a.err != nil || string(a.body) != test.want):
				t.Errorf("got %d %q, %v; want %q", a.StatusCode, a.body, a.err, test.want)
			case test.kind == "upstream_reset" && a.StatusCode != 502:
				t.Errorf("got %d, want 502", a.StatusCode)
			case test.kind == "upstream_cut" && a.err == nil:
				t.Errorf("got %d %q as a whole reply", a.StatusCode, a.body)
			}
			if line := r.logLine(0); test.kind != "" && !strings.Contains(line, test.kind) {
				t.Errorf("log: %s", line)
			}
		})
	}
}

// TestSilentAfterTheHeader: nothing was sent to the client yet, so it gets an error.
func TestSilentAfterTheHeader(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}), func(o *Options) { o.Timeouts.Idle = 100 * time.Millisecond })
	a := r.chat("{}")
	if a.StatusCode != http.StatusGatewayTimeout {
		t.Errorf("got %d %s", a.StatusCode, a.body)
	}
	checkError(t, a, "upstream_idle")
}

// panickyLog is a log that fails in the worst way.
type panickyLog struct{ slog.Handler }

func (panickyLog) Enabled(context.Context, slog.Level) bool  { return true }
func (panickyLog) Handle(context.Context, slog.Record) error { panic("the log is gone") }
func (p panickyLog) WithAttrs([]slog.Attr) slog.Handler      { return p }
func (p panickyLog) WithGroup(string) slog.Handler           { return p }

// TestPanicInTheLogIsContained: the client has its reply by then, and its end
// must still reach it.
func TestPanicInTheLogIsContained(t *testing.T) {
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: 1\n\n")
		// of unknown length: its end is an event of its own
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}), func(o *Options) { o.Logger = slog.New(panickyLog{}) })
	for range 2 {
		if a := r.chat(threeTurns); a.err != nil ||
			!strings.HasSuffix(string(a.body), "[DONE]\n\n") {
			t.Errorf("got %q, %v", a.body, a.err)
		}
	}
	r.eventually("the panics to be counted", func() bool {
		return r.metric("killick_panics_total") == 2 && r.metric("killick_requests_in_flight") == 0
	})
}
