package fleet

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"killick/internal/config"
)

// link is the way of one replica to the shared store. It can be slow, cut, and lead elsewhere.
type link struct {
	net.Listener
	mu    sync.Mutex
	to    string
	delay time.Duration // of each answer
	down  bool
	conns map[net.Conn]bool
	taken int // connections so far
	ended sync.WaitGroup
}

// newLink returns a link to an address.
func newLink(t testing.TB, to string) *link {
	t.Helper()
	l := &link{to: to, conns: map[net.Conn]bool{}}
	var err error
	if l.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	l.ended.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			l.ended.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		l.cut()
		l.ended.Wait()
	})
	return l
}

// carry takes a connection to where the link leads.
func (l *link) carry(near net.Conn) {
	defer near.Close()
	l.mu.Lock()
	to, down := l.to, l.down
	l.taken++
	l.mu.Unlock()
	if down {
		return
	}
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	if !l.keep(near, far) {
		return
	}
	l.ended.Go(func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	})
	b := make([]byte, 1<<16)
	for {
		n, err := far.Read(b)
		if err != nil {
			return
		}
		l.mu.Lock()
		delay := l.delay
		l.mu.Unlock()
		time.Sleep(delay)
		if _, err := near.Write(b[:n]); err != nil {
			return
		}
	}
}

// keep notes connections, and reports whether the link is there.
func (l *link) keep(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		l.conns[c] = true
	}
	return !l.down
}

// cut closes all connections and takes no more.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for c := range l.conns {
		_ = c.Close()
	}
	clear(l.conns)
}

// mend has the link lead to an address.
func (l *link) mend(to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to, l.down = to, false
}

// slow has each answer take so long.
func (l *link) slow(delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = delay
}

// connections returns how many were made.
func (l *link) connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

// linked starts replicas with a link to the store each.
func linked(t testing.TB, n int, c config.Config, s *store) (all []*replica, links []*link) {
	t.Helper()
	for range n {
		l := newLink(t, s.addr())
		c.Cache.URL = config.StoreURL("redis://" + l.Addr().String())
		all, links = append(all, start(t, c)), append(links, l)
	}
	return all, links
}
