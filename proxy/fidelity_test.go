package proxy

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"
)

// What a transparent proxy owes both sides, as checks that can be run against
// any proxy: each returns what is wrong, nil if nothing. TestFidelity holds this
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
	got  chan received // what the upstream got, where it forwards it
	step chan struct{} // tells the upstream to continue
	// timeout is how long anything may take. A bad proxy uses it up, a good one
	// gets more than any machine needs.
	timeout time.Duration
}

// send writes a raw request and returns the connection to read from.
func (w *wire) send(raw string) (net.Conn, *bufio.Reader, error) {
	conn, err := net.Dial("tcp", w.addr)
	if err != nil {
		return nil, nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(w.timeout))
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

// smallChat is the smallest chat request, as it is on the wire.
const smallChat = "POST " + chatPath + " HTTP/1.1\r\nHost: p\r\nContent-Length: 2\r\n\r\n{}"

// arrives sends a chat request in chunks, rest being its header after the first lines and its body,
// and returns what the upstream read.
func (w *wire) arrives(rest string) (received, error) {
	conn, in, err := w.send("POST " + chatPath +
		" HTTP/1.1\r\nHost: p\r\nTransfer-Encoding: chunked\r\n" + rest)
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
	case <-time.After(w.timeout):
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
			select {
			case w.step <- struct{}{}:
			case <-time.After(w.timeout): // a proxy that cuts the reply short
				return fmt.Errorf("after piece %d the upstream's reply has ended", i)
			}
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

// check runs one check against a proxy that start puts in front of an upstream,
// returning the address of the proxy.
func (c fidelityCheck) check(t *testing.T, timeout time.Duration,
	start func(base string) (addr string)) error {
	t.Helper()
	w := &wire{got: make(chan received, 4), step: make(chan struct{}), timeout: timeout}
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
				if err := c.check(t, 30*time.Second,
					func(base string) string { return newRigAt(t, base, set).addr }); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
