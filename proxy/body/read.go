// Package body holds request bodies in memory: it reads them whole, with a deadline and a
// limit that all of them share, decodes a copy for inspection and allows sending them more
// than once. It never changes a body and never inspects its content.
package body

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"killick/proxy/coding"
)

// ErrTooLarge is returned for a body over its limit, as sent or decoded.
var ErrTooLarge = errors.New("the body is over the limit")

// minRate is the minimum rate of a body after its grace period, in bytes per second, so that nobody
// holds memory by sending nothing.
const minRate = 32 << 10

// rejectedRead is how long the rest of a rejected body is read.
const rejectedRead = 2 * time.Second

// RejectedDeadline is the time until which the rest of a rejected body is read.
func RejectedDeadline() time.Time { return time.Now().Add(rejectedRead) }

// pacedReader reads a client's body with a deadline that advances with the bytes received.
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
		// Without support for deadlines the reader has none.
		_ = p.ctl.SetReadDeadline(p.start.Add(p.grace + time.Duration(p.n)*time.Second/minRate))
		p.next = now.Add(time.Second)
	}
	n, err := p.src.Read(b)
	p.n += int64(n)
	return n, err
}

// Read reads a request's whole body, at most limit bytes, as far as the budget allows. It fails
// with ErrTooLarge, ErrOverBudget or the error of the read.
func Read(
	ctl *http.ResponseController, r *http.Request, limit int64, grace time.Duration,
	reserved *Reservation,
) (body []byte, err error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil, nil
	}
	defer func() {
		switch {
		case err == nil:
			// A remaining deadline would end the request: the server continues to read, to notice a
			// client that disconnects.
			_ = ctl.SetReadDeadline(time.Time{})
		case !errors.Is(err, os.ErrDeadlineExceeded):
			// The server reads the rest for a while before it answers, since some clients send
			// everything before they read.
			_ = ctl.SetReadDeadline(RejectedDeadline())
		}
	}()
	if r.ContentLength > limit {
		return nil, ErrTooLarge
	}
	src := &pacedReader{src: r.Body, ctl: ctl, grace: grace}
	take := func(n int64) error { return reserved.take(r.Context(), n) }
	if r.ContentLength < 0 {
		return growing(src, limit, take)
	}
	body, err = announced(src, r.ContentLength, take)
	if err == nil && len(r.Trailer) > 0 {
		err = readEnd(src)
	}
	if err != nil {
		reuse(body)
		return nil, err
	}
	return body, nil
}

// announced reads a body of n bytes. It reserves memory for what has arrived, and for some of what
// was announced: clients that announce much and send little must not keep others out.
func announced(src io.Reader, n int64, take func(int64) error) ([]byte, error) {
	buf, err := readOn(src, nil, min(n, FirstPart), take)
	if err == nil && n > FirstPart {
		buf, err = readOn(src, buf, min(n, atOnce), take)
	}
	if err == nil && n > atOnce {
		return grow(src, buf, n, take)
	}
	return buf, err
}

// readOn returns buf with what follows in src, n bytes in all.
func readOn(src io.Reader, buf []byte, n int64, take func(int64) error) ([]byte, error) {
	had := len(buf)
	if err := take(n - int64(had)); err != nil {
		return buf, err
	}
	longer := newBuffer(int(n))
	copy(longer, buf)
	reuse(buf)
	_, err := io.ReadFull(src, longer[had:])
	return longer, err
}

// readEnd reads the end of a body of which nothing more may come: in HTTP/2 trailers follow a body
// of known length. It fails with ErrTooLarge if there is more.
func readEnd(src io.Reader) error {
	var one [1]byte
	if n, err := io.ReadFull(src, one[:]); n > 0 {
		return ErrTooLarge
	} else if err != io.EOF {
		return err
	}
	return nil
}

const (
	// FirstPart is how much of a body of a known length is read before memory for more of it is
	// reserved.
	FirstPart = 64 << 10
	// unknownLength is what is reserved at first for a body of unknown length.
	unknownLength = 16 << 10
)

// growing reads src to its end, at most limit bytes.
func growing(src io.Reader, limit int64, take func(int64) error) ([]byte, error) {
	size := min(unknownLength, limit)
	if err := take(size); err != nil {
		return nil, err
	}
	return grow(src, make([]byte, 0, size), limit, take)
}

// grow appends the rest of src to buf, up to limit bytes in all. The capacity of buf is reserved;
// it doubles, and take is asked before it does.
func grow(src io.Reader, buf []byte, limit int64, take func(int64) error) ([]byte, error) {
	for size := int64(cap(buf)); ; {
		if int64(len(buf)) == size {
			more := min(size, limit-size)
			if more == 0 { // full: anything more is too much
				if err := readEnd(src); err != nil {
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

// Decode returns the text of a body under a content coding, for inspection. It fails
// with ErrTooLarge for a body that would decompress beyond limit; all other errors are left to
// the upstream.
func Decode(name string, body []byte, limit int64, reserved *Reservation) ([]byte, error) {
	if name == "" {
		return body, nil
	}
	d, err := coding.Open(name, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	return growing(d, limit, func(n int64) error {
		// It does not wait: a request that holds memory and waits for more may
		// wait for others that do the same.
		if !reserved.try(n) {
			return ErrOverBudget
		}
		return nil
	})
}
