// Package logwriter writes a log without waiting long for whoever reads it: a collector that hangs
// must not hold up requests. Lines keep their order. It does not know what they contain.
package logwriter

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Writer writes lines in a goroutine of its own. A Write waits until its line is written, so that a
// process that ends has written its log. Once a line is not written in time, no Write waits until
// all are. Meanwhile lines are queued, up to maxQueued bytes; further ones are dropped. Lines that
// are dropped, or cannot be written, are counted.
type Writer struct {
	to      io.Writer
	notice  func(dropped uint64) []byte
	dropped atomic.Uint64

	mu         sync.Mutex
	queue      []line
	bytes      int    // of the queue and the line that is being written
	stuck      bool   // a line was not written in time
	unreported uint64 // dropped since the last notice
	closed     bool

	wake chan struct{}
	done chan struct{}
}

type line struct {
	text    []byte
	missing uint64 // if it is a notice, of how many lines
	written chan struct{}
}

// writeTimeout is how long a Write waits for its line, and Close for all of them.
const writeTimeout = 100 * time.Millisecond

// maxQueued is more than what thousands of requests log.
const maxQueued = 1 << 20

// New returns a Writer to to, which the caller closes. Where lines are missing, it writes what
// notice returns for their number.
func New(to io.Writer, notice func(dropped uint64) []byte) *Writer {
	w := &Writer{to: to, notice: notice, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go w.run()
	return w
}

// Write writes a line, or drops it. It returns no error: whoever logs has nobody to tell.
func (w *Writer) Write(text []byte) (int, error) {
	written := w.add(text)
	if written == nil {
		return len(text), nil
	}
	late := time.NewTimer(writeTimeout)
	defer late.Stop()
	select {
	case <-written:
	case <-late.C:
		w.mu.Lock()
		defer w.mu.Unlock()
		w.stuck = w.bytes > 0
	}
	return len(text), nil
}

// add queues a line. It returns nil if nobody should wait for it.
func (w *Writer) add(text []byte) (written <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.bytes+len(text) > maxQueued {
		w.dropped.Add(1)
		w.unreported++
		return nil
	}
	if w.unreported > 0 {
		w.push(w.notice(w.unreported), w.unreported)
		w.unreported = 0
	}
	written = w.push(bytes.Clone(text), 0)
	if w.stuck {
		return nil
	}
	return written
}

func (w *Writer) push(text []byte, missing uint64) <-chan struct{} {
	l := line{text, missing, make(chan struct{})}
	w.queue = append(w.queue, l)
	w.bytes += len(text)
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return l.written
}

// run writes what is queued, until Close.
func (w *Writer) run() {
	defer close(w.done)
	for range w.wake {
		l, more, closed := w.next()
		for ; more; l, more, closed = w.next() {
			_, err := w.to.Write(l.text)
			w.mu.Lock()
			w.bytes -= len(l.text)
			switch {
			case err == nil:
			case l.missing > 0:
				w.unreported += l.missing
			default: // whoever reads the log has ended, or its disk is full
				w.dropped.Add(1)
				w.unreported++
			}
			w.mu.Unlock()
			close(l.written)
		}
		if closed {
			return
		}
	}
}

// next removes the first line from the queue. Without one, whoever reads the log keeps up again,
// and closed says whether none will follow.
func (w *Writer) next() (l line, ok, closed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) == 0 {
		w.queue, w.stuck = nil, false
		return line{}, false, w.closed
	}
	l, w.queue = w.queue[0], w.queue[1:]
	return l, true, false
}

// Dropped returns how many lines were dropped, or not written.
func (w *Writer) Dropped() uint64 { return w.dropped.Load() }

// Close waits for lines that are still queued, but not long. What is written later is dropped.
func (w *Writer) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	select {
	case <-w.done:
	case <-time.After(writeTimeout):
	}
}
