package body

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// Held is a body that may be sent more than once, until it is released.
type Held struct {
	n int64

	mu       sync.Mutex
	b        []byte // nil once released
	owned    []byte // passed to free once released and without readers; nil: never
	free     func([]byte)
	readers  int
	released bool
}

// Hold returns a Held of b.
func Hold(b []byte) *Held { return &Held{b: b, n: int64(len(b))} }

// HoldOwned returns a Held of what [Read] returned. Its memory is reused after the release, so the
// caller must not keep a slice of it.
func HoldOwned(b []byte) *Held { return &Held{b: b, owned: b, free: reuse, n: int64(len(b))} }

// Bytes returns the body, nil once it was released. It must not be changed.
func (h *Held) Bytes() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.b
}

// Len returns the length of the body in bytes, also after its release.
func (h *Held) Len() int64 { return h.n }

// Open returns a reader of the whole body: a [Reader], unless the body is small. When it is
// closed it drops its reference, even where the sender keeps the reader.
func (h *Held) Open() (io.ReadCloser, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.released {
		return nil, errors.New("the body was released")
	}
	if h.n <= Small {
		// If a body may keep it waiting, the transport sends the header separately; it knows that
		// this type is in memory. A small body may outlive its release.
		return io.NopCloser(bytes.NewReader(h.b)), nil
	}
	h.readers++
	return &Reader{held: h, b: h.b}, nil
}

// Keep declares that somebody keeps a slice of the body from now on: its memory is not reused.
func (h *Held) Keep() {
	h.mu.Lock()
	h.owned = nil
	h.mu.Unlock()
}

// Release drops the body; a nil Held has none. It may be called more than once.
func (h *Held) Release() {
	if h == nil {
		return
	}
	h.mu.Lock()
	h.b, h.released = nil, true
	h.freeUnused()
	h.mu.Unlock()
}

// closed records that one of the readers is done.
func (h *Held) closed() {
	h.mu.Lock()
	h.readers--
	h.freeUnused()
	h.mu.Unlock()
}

// freeUnused frees the memory if it is unused. The caller holds mu.
func (h *Held) freeUnused() {
	if h.released && h.readers == 0 && h.owned != nil {
		h.free(h.owned)
		h.owned = nil
	}
}

// Reader reads a held body. It is read by one goroutine, and may be closed by another.
type Reader struct {
	held *Held

	mu      sync.Mutex
	b       []byte // what is left; nil once closed
	writing bool   // some of it is being written
	done    bool   // closed
}

func (r *Reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

// WriteAtMost writes up to most remaining bytes in one call. Closing the Reader does not wait for
// it.
func (r *Reader) WriteAtMost(w io.Writer, most int64) (int64, error) {
	r.mu.Lock()
	b := r.b[:min(int64(len(r.b)), most)]
	if len(b) == 0 {
		r.mu.Unlock()
		return 0, nil
	}
	r.b, r.writing = r.b[len(b):], true
	r.mu.Unlock()

	n, err := w.Write(b)

	r.mu.Lock()
	r.writing = false
	closed := r.done
	r.mu.Unlock()
	if closed {
		r.held.closed()
	}
	return int64(n), err
}

// Close drops the body.
func (r *Reader) Close() error {
	r.mu.Lock()
	first, writing := !r.done, r.writing
	r.b, r.done = nil, true
	r.mu.Unlock()
	if first && !writing {
		r.held.closed()
	}
	return nil
}
