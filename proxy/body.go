package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

var (
	errTooLarge = errors.New("the body is over the limit")
	errNoRoom   = errors.New("no room to hold the body")
)

// budget is the memory that chat bodies may take together. It is what keeps a
// crowd of large requests from ending the process.
type budget struct {
	sem  *semaphore.Weighted
	size int64
	wait time.Duration
	used atomic.Int64
}

func newBudget(size int64, wait time.Duration) *budget {
	return &budget{sem: semaphore.NewWeighted(size), size: size, wait: wait}
}

func (b *budget) held() float64 { return float64(b.used.Load()) }

// room is one request's share of the budget. Its methods are for one goroutine
// at a time, except release, which may be called from any and more than once.
type room struct {
	budget *budget
	n      atomic.Int64
}

// take waits for n bytes more, up to the budget's patience.
func (r *room) take(ctx context.Context, n int64) error {
	if r.try(n) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.budget.wait)
	defer cancel()
	if err := r.budget.sem.Acquire(ctx, n); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return errNoRoom
		}
		return err
	}
	r.add(n)
	return nil
}

// try takes n bytes more if there is room at once.
func (r *room) try(n int64) bool {
	if !r.budget.sem.TryAcquire(n) {
		return false
	}
	r.add(n)
	return true
}

func (r *room) add(n int64) {
	r.n.Add(n)
	r.budget.used.Add(n)
}

func (r *room) release() {
	n := r.n.Swap(0)
	r.budget.used.Add(-n)
	r.budget.sem.Release(n)
}

// bodyMinRate is how fast a body has to come once its grace is over, in bytes a
// second, so that nobody holds room by sending nothing.
const bodyMinRate = 32 << 10

// rejectedRead is how long what is left of a rejected body is read.
const rejectedRead = 2 * time.Second

func deadlineOfRejected() time.Time { return time.Now().Add(rejectedRead) }

// pacedReader reads a client's body under a deadline that moves with what came.
type pacedReader struct {
	src   io.Reader
	ctl   *http.ResponseController
	grace time.Duration
	start time.Time
	next  time.Time
	n     int64
}

func (p *pacedReader) Read(b []byte) (int, error) {
	if now := time.Now(); now.After(p.next) {
		if p.start.IsZero() {
			p.start = now
		}
		// Where there are no deadlines the reader does without.
		_ = p.ctl.SetReadDeadline(p.start.Add(p.grace + time.Duration(p.n)*time.Second/bodyMinRate))
		p.next = now.Add(time.Second)
	}
	n, err := p.src.Read(b)
	p.n += int64(n)
	return n, err
}

// readWhole reads a request's body, at most limit bytes of it, into room. It
// fails with errTooLarge, errNoRoom or whatever reading failed with.
func readWhole(ctl *http.ResponseController, r *http.Request, limit int64, grace time.Duration, room *room) (body []byte, err error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil, nil
	}
	defer func() {
		switch {
		case err == nil:
			// A deadline left behind would end the request: the server goes on
			// reading, to notice a client that leaves.
			_ = ctl.SetReadDeadline(time.Time{})
		case !errors.Is(err, os.ErrDeadlineExceeded):
			// The server reads on for a while before it answers, for clients that
			// send all before they listen.
			_ = ctl.SetReadDeadline(deadlineOfRejected())
		}
	}()
	if r.ContentLength > limit {
		return nil, errTooLarge
	}
	src := &pacedReader{src: r.Body, ctl: ctl, grace: grace}
	if r.ContentLength > 0 {
		if err := room.take(r.Context(), r.ContentLength); err != nil {
			return nil, err
		}
		body = make([]byte, r.ContentLength)
		_, err = io.ReadFull(src, body)
		return body, err
	}
	return grow(src, limit, func(n int64) error { return room.take(r.Context(), n) })
}

// grow reads src to its end, at most limit bytes, into a buffer that doubles;
// take is asked before it does.
func grow(src io.Reader, limit int64, take func(int64) error) ([]byte, error) {
	size := min(16<<10, limit)
	if err := take(size); err != nil {
		return nil, err
	}
	buf := make([]byte, 0, size)
	for {
		if int64(len(buf)) == size {
			more := min(size, limit-size)
			if more == 0 { // full: whatever still comes is too much
				var one [1]byte
				if n, err := io.ReadFull(src, one[:]); n > 0 {
					return nil, errTooLarge
				} else if err != io.EOF {
					return nil, err
				}
				return buf, nil
			}
			if err := take(more); err != nil {
				return nil, err
			}
			size += more
			buf = append(make([]byte, 0, size), buf...)
		}
		n, err := src.Read(buf[len(buf):size])
		buf = buf[:len(buf)+n]
		switch err {
		case nil:
		case io.EOF:
			return buf, nil
		default:
			return nil, err
		}
	}
}

// decodeBody returns the text of a body under a content encoding, for
// inspection. It fails with errTooLarge for a body that would unfold beyond
// limit; for all other faults the upstream is the judge.
func decodeBody(coding string, body []byte, limit int64, room *room) ([]byte, error) {
	if coding == "" {
		return body, nil
	}
	d, err := openDecoder(coding, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	return grow(d, limit, func(n int64) error {
		// It does not wait: a request that holds room and waits for more may
		// wait for others that do the same.
		if !room.try(n) {
			return errNoRoom
		}
		return nil
	})
}

// heldBody is a body that may be sent more than once, until it is let go.
type heldBody struct {
	mu sync.Mutex
	b  []byte
	n  int64
}

func newHeldBody(b []byte) *heldBody { return &heldBody{b: b, n: int64(len(b))} }

// smallBody is what goes out in one packet with the header: half of the
// transport's buffer.
const smallBody = 2 << 10

// open returns a reader of the whole body. It lets go of it when it is closed,
// even where whoever was sending it stays around.
func (h *heldBody) open() (io.ReadCloser, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.b == nil && h.n > 0 {
		return nil, errors.New("the body is not held any more")
	}
	if h.n <= smallBody {
		// The transport sends the header by itself before a body that may keep it
		// waiting; this type it knows to be in memory. It may stay around.
		return io.NopCloser(bytes.NewReader(h.b)), nil
	}
	return &heldReader{b: h.b}, nil
}

// letGo drops the body; nil has none.
func (h *heldBody) letGo() {
	if h == nil {
		return
	}
	h.mu.Lock()
	h.b = nil
	h.mu.Unlock()
}

type heldReader struct {
	mu sync.Mutex // the transport may close while it reads
	b  []byte
}

func (r *heldReader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

func (r *heldReader) Close() error {
	r.mu.Lock()
	r.b = nil
	r.mu.Unlock()
	return nil
}
