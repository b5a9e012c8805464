package proxy

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// relay stands between the proxy and an upstream, until it swallows all that is
// sent: a firewall that has forgotten a connection.
type relay struct {
	net.Listener
	to string

	mu    sync.Mutex
	conns []net.Conn
	wg    sync.WaitGroup
	mute  bool // connections made so far are dead
	count int
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: l, to: to}
	r.wg.Go(r.accept)
	t.Cleanup(func() {
		l.Close()
		r.mu.Lock()
		for _, c := range r.conns {
			c.Close()
		}
		r.mu.Unlock()
		r.wg.Wait()
	})
	return r
}

func (r *relay) accept() {
	for {
		near, err := r.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", r.to)
		if err != nil {
			near.Close()
			continue
		}
		r.mu.Lock()
		r.count++
		number := r.count
		r.conns = append(r.conns, near, far)
		r.mu.Unlock()
		for _, pair := range [][2]net.Conn{{near, far}, {far, near}} {
			r.wg.Go(func() { r.pass(number, pair[0], pair[1]) })
		}
	}
}

func (r *relay) pass(number int, from, to net.Conn) {
	buf := make([]byte, 4096)
	for {
		n, err := from.Read(buf)
		r.mu.Lock()
		dead := r.mute && number == 1
		r.mu.Unlock()
		if err != nil {
			to.Close()
			return
		}
		if !dead {
			_, _ = to.Write(buf[:n])
		}
	}
}

func (r *relay) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mute = true
}

// TestDeadHTTP2ConnectionsAreNoticed by pings: one whose other end is gone
// without notice would take every request until it timed out.
func TestDeadHTTP2ConnectionsAreNoticed(t *testing.T) {
	base := h2cUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	between := newRelay(t, strings.TrimPrefix(base, "http://"))
	r := newRigAt(t, "http://"+between.Addr().String(), func(o *Options) { o.Upstream.H2C = true })
	pings := r.proxy.upstreams[0].Transport.HTTP2
	if pings.SendPingTimeout <= 0 || pings.PingTimeout <= 0 {
		t.Fatalf("pings are off: %+v", pings)
	}
	pings.SendPingTimeout, pings.PingTimeout = 50*time.Millisecond, 2*time.Second
	if a := r.chat(threeTurns); string(a.body) != threeTurns {
		t.Fatalf("got %d %s", a.StatusCode, a.body)
	}
	between.forget()
	r.eventually("the dead connection to be let go", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		res, err := r.client.Do(r.request("POST", "/v1/embeddings",
			strings.NewReader("again")).WithContext(ctx))
		if err != nil {
			return false
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return err == nil && bytes.Equal(body, []byte("again"))
	})
}
