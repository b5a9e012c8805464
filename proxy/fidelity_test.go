package proxy

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"killick/proxy/coding/codingtest"
)

// What a transparent proxy owes both sides, as checks that can be run against
// any proxy: each tells what is wrong, nil if nothing. TestFidelity holds this
// one to all of them; TestFidelityChecksCatchBadProxies holds the checks to
// proxies that are bad in one way each.

// fidelityCheck has an upstream of its own and is run against a proxy in front
// of it.
type fidelityCheck struct {
	upstream http.HandlerFunc
	run      func(*wire) error
}

// wire is a client's side of a proxy.
type wire struct {
	addr string
	got  chan received // what the upstream got, where it hands it on
	step chan struct{} // tells the upstream to go on
	// patience is how long anything may take. A bad proxy uses it up, a good one
	// gets more than any machine needs.
	patience time.Duration
}

// send writes a raw request and returns the connection to read from.
func (w *wire) send(raw string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.Dial("tcp", w.addr)
	if err != nil {
		return nil, nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(w.patience))
	_, err = io.WriteString(conn, raw)
	return conn, bufio.NewReader(conn), err
}

// post sends a chat request whole and reads the reply whole.
func (w *wire) post(body string, header ...string) (*http.Response, string, error) {
	raw := "POST " + chatPath + " HTTP/1.1\r\nHost: p\r\n"
	for _, line := range header {
		raw += line + "\r\n"
	}
	conn, in, err := w.send(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", raw, len(body), body))
	if err != nil {
		return nil, "", err
	}
	defer conn.Close()
	return whole(in)
}

func whole(in *bufio.Reader) (*http.Response, string, error) {
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(res.Body)
	return res, string(body), err
}

// smallChat is the smallest chat request, as it stands on the wire.
const smallChat = "POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nContent-Length: 2\r\n\r\n{}"

// arrives sends a chat request in chunks, rest being its header behind the first
// lines and its body, and returns what the upstream read.
func (w *wire) arrives(rest string) (received, error) {
	conn, in, err := w.send("POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n" + rest)
	if err != nil {
		return received{}, err
	}
	defer conn.Close()
	if _, _, err := whole(in); err != nil {
		return received{}, err
	}
	return w.upstreamGot()
}

// upstreamGot waits for what the upstream read.
func (w *wire) upstreamGot() (received, error) {
	select {
	case got := <-w.got:
		return got, nil
	case <-time.After(w.patience):
		return received{}, fmt.Errorf("the upstream got nothing")
	}
}

func want(what, got, want string) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s: got %.120q, want %.120q", what, got, want)
}

type wireKey struct{}

func wireOf(r *http.Request) *wire { return r.Context().Value(wireKey{}).(*wire) }

// keeps answers a completion and hands on what came.
func keeps(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	wireOf(r).got <- received{r, body}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, completion)
}

// bodyPasses checks that a request's body arrives as it is.
func bodyPasses(body string, header ...string) fidelityCheck {
	return fidelityCheck{keeps, func(w *wire) error {
		if _, _, err := w.post(body, header...); err != nil {
			return err
		}
		got, err := w.upstreamGot()
		return cmp.Or(err, want("body", string(got.body), body))
	}}
}

// replyPasses checks that a reply's body arrives as it is.
func replyPasses(body string, header ...string) fidelityCheck {
	return fidelityCheck{func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		_, _ = io.WriteString(w, body)
	}, func(w *wire) error {
		res, got, err := w.post("{}", "Accept-Encoding: gzip, br, zstd")
		if err != nil {
			return err
		}
		for i := 0; i < len(header); i += 2 {
			if !slices.Contains(res.Header.Values(header[i]), header[i+1]) {
				return fmt.Errorf("header %s: got %q", header[i], res.Header[header[i]])
			}
		}
		return want("reply", got, body)
	}}
}

// eventsPass checks that each piece of a stream arrives before the next one is
// sent.
func eventsPass(pieces ...string) fidelityCheck {
	return fidelityCheck{func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range pieces {
			_, _ = io.WriteString(w, p)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-wireOf(r).step:
			case <-r.Context().Done():
				return
			}
		}
	}, func(w *wire) error {
		conn, in, err := w.send(smallChat)
		if err != nil {
			return err
		}
		defer conn.Close()
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		for i, p := range pieces {
			got := make([]byte, len(p))
			if _, err := io.ReadFull(res.Body, got); err != nil {
				return fmt.Errorf("piece %d: %w", i, err)
			}
			if err := want(fmt.Sprint("piece ", i), string(got), p); err != nil {
				return err
			}
			w.step <- struct{}{}
		}
		rest, err := io.ReadAll(res.Body)
		return cmp.Or(err, want("after the last", string(rest), ""))
	}}
}

func headersOf(send []string, check func(http.Header) error) fidelityCheck {
	return fidelityCheck{keeps, func(w *wire) error {
		if _, _, err := w.post("{}", send...); err != nil {
			return err
		}
		got, err := w.upstreamGot()
		if err != nil {
			return err
		}
		return check(got.Header)
	}}
}

// splitAtEveryByte is a stream in pieces of one byte: every event, every CRLF and
// every character is split somewhere.
func splitAtEveryByte(stream string) (pieces []string) {
	for i := range len(stream) {
		pieces = append(pieces, stream[i:i+1])
	}
	return pieces
}

var fidelity = map[string]fidelityCheck{
	"lone surrogates":    bodyPasses(oddBodies["lone surrogate"]),
	"spelled numbers":    bodyPasses(oddBodies["number"]),
	"duplicate keys":     bodyPasses(oddBodies["duplicate keys"]),
	"white space":        bodyPasses(oddBodies["white space"]),
	"no JSON":            bodyPasses(oddBodies["not JSON"]),
	"20 MB":              bodyPasses(`{"messages":[{"role":"user","content":"` + strings.Repeat("0123456789", 2_000_000) + `"}]}`),
	"gzip to upstream":   bodyPasses(codingtest.Encode("gzip", threeTurns), "Content-Encoding: gzip"),
	"br to upstream":     bodyPasses(codingtest.Encode("br", threeTurns), "Content-Encoding: br"),
	"zstd to upstream":   bodyPasses(codingtest.Encode("zstd", threeTurns), "Content-Encoding: zstd"),
	"gzip to client":     replyPasses(codingtest.Encode("gzip", completion), "Content-Encoding", "gzip"),
	"br to client":       replyPasses(codingtest.Encode("br", completion), "Content-Encoding", "br"),
	"zstd to client":     replyPasses(codingtest.Encode("zstd", completion), "Content-Encoding", "zstd"),
	"reply as spelled":   replyPasses("{\"a\": 2.50, \"b\":\"\\ud83d\", \"a\":1}\n\n", "Content-Type", "application/json"),
	"values of a header": replyPasses("{}", "Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-Ratelimit-Remaining-Tokens", "17"),

	"events as they come": eventsPass(eventStream...),
	"comments and CRLF":   eventsPass(": ping\r\n\r\n", "event: x\r\ndata: {}\r\n\r\n", ":\n\n", "data: [DONE]\n\n"),
	"an error event":      eventsPass("data: {\"choices\":[]}\n\n", "event: error\ndata: {\"error\":{\"message\":\"overloaded\",\"code\":2.50}}\n\n"),
	"split at any byte":   eventsPass(splitAtEveryByte("data: {\"é\":\"\\ud83d😀\"}\r\n\r\n: x\n\ndata: [DONE]\n\n")...),

	"many values": headersOf([]string{"X-Multi: a", "x-multi: b, c"}, func(h http.Header) error {
		return want("X-Multi", strings.Join(h["X-Multi"], "|"), "a|b, c")
	}),
	"any case": headersOf([]string{"X-STAINLESS-LANG: python", "x-session-id: s", "authorization: Bearer k"}, func(h http.Header) error {
		return want("headers", h.Get("X-Stainless-Lang")+h.Get("X-Session-Id")+h.Get("Authorization"), "pythonsBearer k")
	}),
	"nothing made up": headersOf([]string{"X-Forwarded-For: 10.0.0.1"}, func(h http.Header) error {
		for _, name := range []string{"Via", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "User-Agent", "Accept-Encoding"} {
			if h[name] != nil {
				return fmt.Errorf("%s was made up: %q", name, h[name])
			}
		}
		return want("X-Forwarded-For", h.Get("X-Forwarded-For"), "10.0.0.1")
	}),

	"error bodies": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(429)
		_, _ = io.WriteString(w, `{"error": {"code":"rate_limit_exceeded", "x":2.50}}`)
	}, func(w *wire) error {
		res, body, err := w.post("{}")
		if err != nil {
			return err
		}
		return cmp.Or(want("status", res.Status[:3], "429"), want("Retry-After", res.Header.Get("Retry-After"), "3"),
			want("body", body, `{"error": {"code":"rate_limit_exceeded", "x":2.50}}`))
	}},
	"cut streams": {func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, func(w *wire) error {
		if _, body, err := w.post("{}"); err == nil {
			return fmt.Errorf("got %q for a whole reply", body)
		}
		return nil
	}},
	"trailers of a reply": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		_, _ = io.WriteString(w, "body")
		w.Header().Set("X-Sum", "42")
	}, func(w *wire) error {
		res, _, err := w.post("{}", "TE: trailers")
		if err != nil {
			return err
		}
		return want("trailer", res.Trailer.Get("X-Sum"), "42")
	}},
	"trailers of a request": {keeps, func(w *wire) error {
		got, err := w.arrives("Trailer: X-Sum\r\n\r\n2\r\n{}\r\n0\r\nX-Sum: 42\r\n\r\n")
		if err != nil {
			return err
		}
		return want("trailer", got.Trailer.Get("X-Sum"), "42")
	}},
	"a body of unknown length": {keeps, func(w *wire) error {
		got, err := w.arrives("\r\n1\r\n{\r\n2\r\n }\r\n0\r\n\r\n")
		return cmp.Or(err, want("body", string(got.body), "{ }"))
	}},
	"uploads stream": {func(_ http.ResponseWriter, r *http.Request) {
		b := make([]byte, 5)
		_, _ = io.ReadFull(r.Body, b)
		wireOf(r).got <- received{r, b}
		_, _ = io.Copy(io.Discard, r.Body)
	}, func(w *wire) error {
		conn, in, err := w.send("POST /v1/files HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
		if err != nil {
			return err
		}
		defer conn.Close()
		select {
		case <-w.got:
		case <-time.After(w.patience):
			return fmt.Errorf("the first bytes wait for the last")
		}
		_, _ = io.WriteString(conn, "0\r\n\r\n")
		_, _, err = whole(in)
		return err
	}},
	"100-continue": {keeps, func(w *wire) error {
		conn, in, err := w.send("POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
		if err != nil {
			return err
		}
		defer conn.Close()
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		_, _ = io.WriteString(conn, "{}")
		return want("status before the body is sent", res.Status[:3], "100")
	}},
	"early hints": {func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Link", "</a>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		_, _ = io.WriteString(w, "done")
	}, func(w *wire) error {
		conn, in, err := w.send(smallChat)
		if err != nil {
			return err
		}
		defer conn.Close()
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			return err
		}
		return cmp.Or(want("first status", res.Status[:3], "103"), want("Link", res.Header.Get("Link"), "</a>; rel=preload"))
	}},
	"very fast replies": {func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(413)
		_, _ = io.WriteString(w, "too large")
	}, func(w *wire) error {
		res, body, err := w.post(strings.Repeat("x", 4<<20))
		if err != nil {
			return err
		}
		return cmp.Or(want("status", res.Status[:3], "413"), want("body", body, "too large"))
	}},
	"a slow reader": {func(w http.ResponseWriter, r *http.Request) {
		piece := bytes.Repeat([]byte("data: {}\n\n"), 6554)
		sent := 0
		for sent < 80<<20 {
			_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Second))
			n, err := w.Write(piece)
			sent += n
			if err != nil {
				break
			}
		}
		wireOf(r).got <- received{r, fmt.Append(nil, sent)}
	}, func(w *wire) error {
		conn, _, err := w.send(smallChat)
		if err != nil {
			return err
		}
		defer conn.Close()
		got, err := w.upstreamGot()
		var sent int
		if _, scanErr := fmt.Sscan(string(got.body), &sent); err != nil || scanErr != nil {
			return cmp.Or(err, scanErr)
		}
		if sent > 64<<20 {
			return fmt.Errorf("the upstream could send %d bytes to a client that reads none", sent)
		}
		return nil
	}},
	"a client that leaves": {func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "data: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			wireOf(r).got <- received{r, nil}
		case <-time.After(2 * wireOf(r).patience):
			panic(http.ErrAbortHandler)
		}
	}, func(w *wire) error {
		conn, in, err := w.send(smallChat)
		if err != nil {
			return err
		}
		_, err = in.Peek(1)
		conn.Close()
		if err != nil {
			return err
		}
		select {
		case <-w.got:
			return nil
		case <-time.After(w.patience):
			return fmt.Errorf("the upstream works on for nobody")
		}
	}},
	"kept connections": {keeps, func(w *wire) error {
		var from [2]string
		conn, in, err := w.send("")
		if err != nil {
			return err
		}
		defer conn.Close()
		for i := range from {
			_, _ = io.WriteString(conn, smallChat)
			if _, _, err := whole(in); err != nil {
				return err
			}
			got, err := w.upstreamGot()
			if err != nil {
				return err
			}
			from[i] = got.RemoteAddr
		}
		return want("the second connection", from[1], from[0])
	}},
}

// check runs one check against a proxy that start puts in front of an upstream,
// returning the address of the proxy.
func (c fidelityCheck) check(t *testing.T, patience time.Duration, start func(base string) (addr string)) error {
	t.Helper()
	w := &wire{got: make(chan received, 4), step: make(chan struct{}), patience: patience}
	r := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c.upstream(rw, r.WithContext(context.WithValue(r.Context(), wireKey{}, w)))
	})
	w.addr = start(startUpstream(t, r))
	return c.run(w)
}

func TestFidelity(t *testing.T) {
	for name, c := range fidelity {
		for mode, set := range map[string]func(*Options){
			"unchanged": unchanged,
			"observe":   func(o *Options) { compacting(o); o.Mode = ModeObserve },
			"off":       func(o *Options) { compacting(o); o.Mode = ModeOff },
		} {
			t.Run(name+", "+mode, func(t *testing.T) {
				if testing.Short() && mode != "unchanged" {
					t.Skip("one mode is enough")
				}
				t.Parallel()
				if err := c.check(t, 30*time.Second, func(base string) string { return newRigAt(t, base, set).addr }); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
