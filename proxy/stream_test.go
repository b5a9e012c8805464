package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"killick/proxy/coding/codingtest"
	"killick/proxy/tap"
)

// eventStream is a streamed reply as agents ask for it: comments, CRLF, several
// choices, a usage chunk, [DONE].
var eventStream = []string{
	": keep-alive\n\n",
	`data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""}}],` +
		`"usage":null}` + "\n\n",
	"event: x\r\n" + `data: {"choices":[{"index":1,"delta":{"content":"half \ud83d \"usage\""},` +
		`"logprobs":null}]}` + "\r\n\r\n",
	`data: {"choices":[{"delta":{"reasoning_content":"2.50"}}]}` + "\n\n",
	`data: {"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":22,` +
		`"prompt_tokens_details":{"cached_tokens":3}}}` + "\n\n",
	"data: [DONE]\n\n",
}

// TestEventsArriveAsTheyAreWritten: each before the next one is.
func TestEventsArriveAsTheyAreWritten(t *testing.T) {
	next := make(chan struct{})
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.WriteHeader(200)
		_ = http.NewResponseController(w).Flush() // the header alone has to arrive as well
		for _, e := range eventStream {
			<-next
			_, _ = io.WriteString(w, e)
			_ = http.NewResponseController(w).Flush()
		}
	})
	for name, set := range map[string]func(*Options){"compacted": compacting,
		"unchanged": unchanged, "off": func(o *Options) { o.Mode = ModeOff }} {
		for _, path := range []string{chatPath, "/v1/responses"} {
			t.Run(name+" "+path, func(t *testing.T) {
				r := newRig(t, up, set)
				res, err := r.client.Do(r.request("POST", path, strings.NewReader(threeTurns)))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				for i, want := range eventStream {
					next <- struct{}{}
					got := make([]byte, len(want))
					if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != want {
						t.Fatalf("event %d: got %q, %v; want %q", i, got, err, want)
					}
				}
				if rest, err := io.ReadAll(res.Body); err != nil || len(rest) > 0 {
					t.Errorf("after [DONE]: got %q, %v", rest, err)
				}
				if path == chatPath {
					line := r.logLine(0)
					if !strings.Contains(line,
						`"prompt_tokens":11,"cached_tokens":3,"completion_tokens":22`) {
						t.Errorf("the usage was not read: %s", line)
					}
				}
			})
		}
	}
}

// TestLongEventsPass: a line of an event may be longer than the 64 KiB that bufio.Scanner takes,
// and the usage after it is still read.
func TestLongEventsPass(t *testing.T) {
	for _, size := range []int{64 << 10, 100_000, 3 << 20} {
		stream := "data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("x", size) +
			"\"}}]}\n\n" + strings.Join(eventStream, "")
		r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, stream)
		}), unchanged)
		if a := r.chat(threeTurns); string(a.body) != stream || a.err != nil {
			t.Errorf("%d bytes: got %d of %d, %v", size, len(a.body), len(stream), a.err)
		}
		if line := r.logLine(0); !strings.Contains(line, `"prompt_tokens":11`) {
			t.Errorf("%d bytes: the usage was not read: %s", size, line)
		}
	}
}

// TestPlainRepliesArriveAsTheyAreWritten: one of known length may trickle, too.
func TestPlainRepliesArriveAsTheyAreWritten(t *testing.T) {
	next := make(chan struct{})
	r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "3")
		for _, c := range "abc" {
			<-next
			_, _ = io.WriteString(w, string(c))
			_ = http.NewResponseController(w).Flush()
		}
	}))
	conn := r.dial()
	fmt.Fprintf(conn, "GET /v1/x HTTP/1.1\r\nHost: p\r\n\r\n")
	next <- struct{}{}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range "abc" {
		if i > 0 {
			next <- struct{}{}
		}
		got := make([]byte, 1)
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != string(want) {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
}

// flushed encodes a stream with every event flushed, as servers of streams do.
func flushed(coding string, w io.Writer) (write func(string), end func() error) {
	type flusher interface {
		io.WriteCloser
		Flush() error
	}
	var f flusher
	switch coding {
	case "gzip":
		f = gzip.NewWriter(w)
	case "br":
		f = brotli.NewWriter(w)
	case "zstd":
		f, _ = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return func(s string) {
		_, _ = io.WriteString(f, s)
		_ = f.Flush()
	}, f.Close
}

// TestEncodedStreams pass at once, and their usage is read.
func TestEncodedStreams(t *testing.T) {
	for _, coding := range []string{"gzip", "br", "zstd"} {
		for _, ended := range []bool{true, false} { // not all end the encoding
			t.Run(fmt.Sprintf("%s, ended: %t", coding, ended), func(t *testing.T) {
				next, wire := make(chan struct{}), new(syncBuffer)
				r := newRig(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					w.Header().Set("Content-Encoding", coding)
					write, end := flushed(coding, io.MultiWriter(w, wire))
					for _, e := range eventStream {
						<-next
						write(e)
						_ = http.NewResponseController(w).Flush()
					}
					if ended {
						_ = end()
					}
				}), unchanged)
				go func() { next <- struct{}{} }()
				res, err := r.client.Do(r.request("POST", chatPath, strings.NewReader(threeTurns),
					"Accept-Encoding", coding))
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				var got []byte
				for i := range eventStream {
					if i > 0 {
						next <- struct{}{}
					}
					piece := make([]byte, 4096)
					n, err := res.Body.Read(piece)
					if err != nil && err != io.EOF {
						t.Fatal(err)
					}
					got = append(got, piece[:n]...)
				}
				rest, err := io.ReadAll(res.Body)
				if got = append(got, rest...); err != nil || string(got) != wire.String() {
					t.Errorf("got %d bytes, %v; want the %d that were sent", len(got), err,
						len(wire.String()))
				}
				if line := r.logLine(0); !strings.Contains(line, `"prompt_tokens":11`) {
					t.Errorf("the usage was not read: %s", line)
				}
			})
		}
	}
}

func TestEncodedReplies(t *testing.T) {
	replies := map[string]string{"deflate": codingtest.BareDeflate(completion),
		"x-gzip": codingtest.Encode("gzip", completion)}
	for _, coding := range codingtest.Codings {
		replies[coding] = codingtest.Encode(coding, completion)
	}
	for coding, reply := range replies {
		r := newRig(t, &recorder{answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", coding)
			_, _ = io.WriteString(w, reply)
		}}, unchanged)
		a := r.chat(threeTurns)
		if string(a.body) != reply || a.Header.Get("Content-Encoding") != coding {
			t.Errorf("%s: got %d bytes as %q, want %d", coding, len(a.body),
				a.Header.Get("Content-Encoding"), len(reply))
		}
		if line := r.logLine(0); !strings.Contains(line,
			`"prompt_tokens":70,"cached_tokens":64,"completion_tokens":5`) {
			t.Errorf("%s: the usage was not read: %s", coding, line)
		}
	}
}

// TestUnreadableRepliesPass: they cost the usage and nothing else.
func TestUnreadableRepliesPass(t *testing.T) {
	replies := map[string]struct{ coding, body string }{
		"corrupt gzip": {"gzip", "\x1f\x8b\x08\x00" + completion},
		"not zstd":     {"zstd", completion},
		"truncated":    {"br", codingtest.Encode("br", completion)[:50]},
		"unknown":      {"lzma", completion},
		"stacked": {"gzip, gzip", codingtest.Encode("gzip",
			codingtest.Encode("gzip", completion))},
		"empty":          {"gzip", ""},
		"trailing bytes": {"gzip", codingtest.Encode("gzip", "{}") + completion},
	}
	if !testing.Short() { // so many bytes take the race detector long
		// Its usage follows what is unpacked of it.
		replies["bomb"] = struct{ coding, body string }{"gzip",
			codingtest.Encode("gzip", strings.Repeat(" ", tap.MaxDecoded+64<<10)+completion)}
	}
	for name, test := range replies {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, &recorder{answer: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", test.coding)
				_, _ = io.WriteString(w, test.body)
			}}, unchanged)
			a := r.chat(threeTurns)
			if string(a.body) != test.body || a.StatusCode != 200 || a.err != nil {
				t.Errorf("got %d, %d bytes, %v; want %d bytes", a.StatusCode, len(a.body), a.err,
					len(test.body))
			}
			if line := r.logLine(0); strings.Contains(line, "prompt_tokens") {
				t.Errorf("usage out of nowhere: %s", line)
			}
			if got := r.metric("killick_panics_total"); got != 0 {
				t.Errorf("%v panics", got)
			}
		})
	}
}
