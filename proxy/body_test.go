package proxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"killick/compaction"
	"killick/proxy/body"
	"killick/proxy/coding/codingtest"
)

func TestEncodedRequests(t *testing.T) {
	gzipped := codingtest.Encode("gzip", threeTurns)
	bodies := map[string]string{"x-gzip": gzipped, "GZIP": gzipped}
	bodies["deflate "] = codingtest.BareDeflate(threeTurns)
	for _, coding := range codingtest.Codings {
		bodies[coding] = codingtest.Encode(coding, threeTurns)
	}
	for coding, body := range bodies {
		t.Run(coding, func(t *testing.T) {
			up := new(recorder)
			r := newRig(t, up, compacting)
			a := r.chat(body, "Content-Encoding", coding)
			got := up.last()
			if string(got.body) != lastTurn || got.Header.Get("Content-Encoding") != "" ||
				got.ContentLength != int64(len(lastTurn)) {
				t.Errorf("changed: got %q, encoding %q", got.body,
					got.Header.Get("Content-Encoding"))
			}
			if a.Header.Get("Killick-Action") != "mask, summary" {
				t.Errorf("changed: action %q", a.Header.Get("Killick-Action"))
			}

			r = newRig(t, up, unchanged)
			a = r.chat(body, "Content-Encoding", coding)
			got = up.last()
			named := got.Header.Get("Content-Encoding")
			if string(got.body) != body || named != strings.TrimSpace(coding) {
				t.Errorf("unchanged: got %d bytes as %q, want the %d that were sent", len(got.body),
					got.Header.Get("Content-Encoding"), len(body))
			}
			if a.Header.Get("Killick-Reason") != "under the trigger" {
				t.Errorf("unchanged: was not looked into: %q", a.Header.Get("Killick-Reason"))
			}
		})
	}
}

func TestUnreadableEncodingsPass(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, compacting)
	for name, test := range map[string]struct{ coding, body, reason string }{
		"unknown": {"lzma", threeTurns, "unknown content encoding"},
		"stacked": {"gzip, br", codingtest.Encode("br", codingtest.Encode("gzip", threeTurns)),
			"unknown content encoding"},
		"corrupt": {"gzip", "\x1f\x8b\x08" + threeTurns, "content encoding not readable"},
		"truncated": {"gzip", codingtest.Encode("gzip", threeTurns)[:40],
			"content encoding not readable"},
		"bad brotli": {
			"br", "\xff\xff\xff" + threeTurns, "content encoding not readable"},
		"not zstd":     {"zstd", threeTurns, "content encoding not readable"},
		"empty":        {"gzip", "", "content encoding not readable"},
		"not deflated": {"deflate", "\x00", "content encoding not readable"},
	} {
		a := r.chat(test.body, "Content-Encoding", test.coding)
		got := up.last()
		if string(got.body) != test.body || got.Header.Get("Content-Encoding") != test.coding ||
			a.Header.Get("Killick-Reason") != test.reason {
			t.Errorf("%s: got %d bytes as %q, reason %q; want %d bytes, %q", name, len(got.body),
				got.Header.Get("Content-Encoding"), a.Header.Get("Killick-Reason"), len(test.body),
				test.reason)
		}
	}
	if a := r.chat(threeTurns, "Content-Encoding",
		"identity"); a.Header.Get("Killick-Action") != "mask, summary" {
		t.Errorf("identity: action %q", a.Header.Get("Killick-Action"))
	}
}

func TestBodyLimit(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, unchanged, func(o *Options) { o.MaxBody = 100_000 })
	fill := func(n int) string { return `{"messages":[],"x":"` + strings.Repeat("a", n-22) + `"}` }
	for name, test := range map[string]struct {
		body   io.Reader
		coding string
		status int
	}{
		"at the limit": {strings.NewReader(fill(100_000)), "identity", 200},
		"over it":      {strings.NewReader(fill(100_001)), "identity", 413},
		"far over it":  {strings.NewReader(fill(3_000_000)), "identity", 413},
		"at it, unknown length": {io.MultiReader(strings.NewReader(fill(100_000))), "identity",
			200},
		"over, unknown length": {io.MultiReader(strings.NewReader(fill(100_001))), "identity",
			413},
		"decoded at the limit": {strings.NewReader(codingtest.Encode("gzip", fill(100_000))),
			"gzip", 200},
		"decoded over it": {strings.NewReader(codingtest.Encode("gzip", fill(100_001))),
			"gzip", 413},
		"a decompression bomb": {strings.NewReader(codingtest.Encode("gzip", fill(2_000_000))),
			"gzip", 413},
		"a brotli bomb": {strings.NewReader(codingtest.Encode("br", fill(2_000_000))),
			"br", 413},
		"a zstd bomb": {strings.NewReader(codingtest.Encode("zstd", fill(2_000_000))),
			"zstd", 413},
		"other paths have none":  {strings.NewReader(fill(3_000_000)), "path", 200},
		"nor has what is passed": {strings.NewReader(fill(3_000_000)), "off", 200},
	} {
		t.Run(name, func(t *testing.T) {
			before := up.count()
			req := r.request("POST", chatPath, test.body)
			switch test.coding {
			case "path":
				req.URL.Path = "/v1/files"
			case "off":
				req.Header.Set(modeHeader, "off")
			default:
				req.Header.Set("Content-Encoding", test.coding)
			}
			a := r.do(req)
			if a.StatusCode != test.status {
				t.Fatalf("got status %d, want %d: %s", a.StatusCode, test.status, a.body)
			}
			if test.status == 413 {
				checkError(t, a, "body_too_large")
				if up.count() != before || a.Header.Get("Killick-Action") != "none" {
					t.Errorf("it was forwarded, or not reported: %v", a.Header)
				}
			}
		})
	}
	r.eventually("all room to be given back", func() bool { return r.proxy.budget.Held() == 0 })
}

func TestBodiesHeldAtOnce(t *testing.T) {
	release := make(chan struct{})
	entered := make(chan struct{}, 10)
	up := &recorder{answer: func(w http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-release
	}}
	r := newRig(t, up, unchanged, func(o *Options) {
		o.MaxBody, o.MaxHeld = 60_000, 100_000
		o.Timeouts.BudgetWait = 500 * time.Millisecond
	})
	body := `{"messages":[]}` + strings.Repeat(" ", 60_000-15)
	first := make(chan answer, 1)
	go func() { first <- r.chat(body) }()
	<-entered

	// There is no room for a second one while the first is held.
	a := r.chat(body)
	if a.StatusCode != 503 || a.Header.Get("Retry-After") == "" {
		t.Fatalf("got %d, Retry-After %q", a.StatusCode, a.Header.Get("Retry-After"))
	}
	checkError(t, a, "overloaded")

	// One of unknown length meets the same limit.
	unsized := io.MultiReader(strings.NewReader(body))
	if a := r.do(r.request("POST", chatPath, unsized)); a.StatusCode != 503 {
		t.Errorf("unknown length: got %d", a.StatusCode)
	}
	// Small ones find room, and what does not go through the pipeline needs none.
	small, other := make(chan answer, 1), make(chan answer, 1)
	go func() { small <- r.chat(`{"messages":[]}`) }()
	go func() { other <- r.do(r.request("POST", "/v1/files", strings.NewReader(body))) }()
	<-entered
	<-entered
	close(release)
	for _, c := range []chan answer{first, small, other} {
		if a := <-c; a.StatusCode != 200 {
			t.Errorf("got %d", a.StatusCode)
		}
	}

	// A client that waits for room is served once there is some.
	if a := r.chat(body); a.StatusCode != 200 {
		t.Errorf("afterwards: got %d", a.StatusCode)
	}
	r.eventually("all room to be given back", func() bool { return r.proxy.budget.Held() == 0 })
}

// TestBodiesOfAbandonedCompactors: a Compactor that is late still uses the body, which counts
// until it returns.
func TestBodiesOfAbandonedCompactors(t *testing.T) {
	stuck := make(chan struct{})
	r := newRig(t, new(recorder), func(o *Options) {
		o.Compactor = fake{compact: func(context.Context, Request) compaction.Outcome {
			<-stuck
			return compaction.Outcome{}
		}}
		o.Timeouts.Compact = 20 * time.Millisecond
	})
	if a := r.chat(threeTurns); a.StatusCode != 200 {
		t.Errorf("got %d", a.StatusCode)
	}
	r.logLine(0) // the request is over
	if got := r.proxy.budget.Held(); got != float64(len(threeTurns)) {
		t.Errorf("%v bytes count while the Compactor runs, want %d", got, len(threeTurns))
	}
	close(stuck)
	r.eventually("all room to be given back", func() bool { return r.proxy.budget.Held() == 0 })
}

// TestAnnouncedBodiesKeepNobodyOut: room is for what came, not for what a client
// says that it will send.
func TestAnnouncedBodiesKeepNobodyOut(t *testing.T) {
	up := new(recorder)
	r := newRig(t, up, unchanged, func(o *Options) { o.MaxBody, o.MaxHeld = 64<<20, 64<<20 })
	var conns []net.Conn
	for range 20 {
		conn := r.dial()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: p\r\nContent-Length: %d\r\n\r\n{", chatPath,
			60<<20)
		conns = append(conns, conn)
	}
	r.eventually("room for the first part to be taken",
		func() bool { return r.proxy.budget.Held() == 20*body.FirstPart })
	if a := r.chat(threeTurns); a.StatusCode != 200 {
		t.Errorf("got %d", a.StatusCode)
	}
	// One that is sent whole arrives whole, and only it is in the way.
	large := `{"messages":[],"x":"` + strings.Repeat("0123456789", 1_000_000) + `"}`
	if a := r.chat(large); a.StatusCode != 200 || string(up.last().body) != large {
		t.Errorf("got %d, the upstream %d bytes of %d", a.StatusCode, len(up.last().body),
			len(large))
	}
	for _, conn := range conns {
		conn.Close()
	}
	r.eventually("all room to be given back", func() bool { return r.proxy.budget.Held() == 0 })
}

// TestRequestIsReleasedWhenTheReplyBegins: a long stream keeps neither the
// account nor the memory of its request, save for one so small that it does not
// matter.
func TestRequestIsReleasedWhenTheReplyBegins(t *testing.T) {
	large := strings.Replace(threeTurns, "{", `{"user":"`+strings.Repeat("x", body.Small)+`",`, 1)
	for name, compact := range map[string]func(context.Context, Request) compaction.Outcome{
		"changed": keepLast,
		"unchanged": func(_ context.Context, r Request) compaction.Outcome {
			return compaction.Outcome{Body: r.Chat.Raw()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var came, sent weak.Pointer[byte]
			release := make(chan struct{})
			r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(200)
				_ = http.NewResponseController(w).Flush()
				<-release
			}), func(o *Options) {
				o.Compactor = fake{
					compact: func(ctx context.Context, r Request) compaction.Outcome {
						out := compact(ctx, r)
						came, sent = weak.Make(&r.Chat.Raw()[0]), weak.Make(&out.Body[0])
						return out
					}}
			})
			res, err := r.client.Do(r.request("POST", chatPath, strings.NewReader(large)))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if held := r.proxy.budget.Held(); held != 0 {
				t.Errorf("%v bytes are accounted for while the reply streams", held)
			}
			r.eventually("the bodies to be let go", func() bool {
				runtime.GC()
				return came.Value() == nil && sent.Value() == nil
			})
			close(release)
			_, _ = io.Copy(io.Discard, res.Body)
		})
	}
}
