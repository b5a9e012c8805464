package proxy

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

var errTooLarge = errors.New("the body is over the limit")

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
	take := func(n int64) error { return room.take(r.Context(), n) }
	switch n := r.ContentLength; {
	case n < 0:
		return grow(src, roomUnknown, limit, take)
	case n > roomAtOnce:
		return grow(src, roomAtOnce, n, take)
	default:
		if err := take(n); err != nil {
			return nil, err
		}
		body = make([]byte, n)
		_, err = io.ReadFull(src, body)
		return body, err
	}
}

const (
	// roomAtOnce is how much room a body is given for its word alone. A larger one
	// gets more as it comes: clients that announce much and send little must not
	// keep others out.
	roomAtOnce = 2560 << 10
	// roomUnknown is the room that a body of unknown length is given first.
	roomUnknown = 16 << 10
)

// grow reads src to its end, at most limit bytes, into a buffer of size bytes that
// doubles; take is asked before it does.
func grow(src io.Reader, size, limit int64, take func(int64) error) ([]byte, error) {
	size = min(size, limit)
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
	return grow(d, roomUnknown, limit, func(n int64) error {
		// It does not wait: a request that holds room and waits for more may
		// wait for others that do the same.
		if !room.try(n) {
			return errNoRoom
		}
		return nil
	})
}
