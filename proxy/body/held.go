package body

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// Held is a body that may be sent more than once, until it is released.
type Held struct {
	mu sync.Mutex
	b  []byte
	n  int64
}

// Hold returns a Held of b.
func Hold(b []byte) *Held { return &Held{b: b, n: int64(len(b))} }

// Len is its length in bytes, also when it was released.
func (h *Held) Len() int64 { return h.n }

// Small is what goes out in one packet with the header: half of the
// transport's buffer.
const Small = 2 << 10

// Open returns a reader of the whole body. When it is closed it drops its reference,
// even where the sender keeps the reader.
func (h *Held) Open() (io.ReadCloser, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.b == nil && h.n > 0 {
		return nil, errors.New("the body is not held any more")
	}
	if h.n <= Small {
		// The transport sends the header by itself before a body that may keep it
		// waiting; this type it knows to be in memory. It may stay around.
		return io.NopCloser(bytes.NewReader(h.b)), nil
	}
	return &heldReader{b: h.b}, nil
}

// Release drops the body; a nil Held has none.
func (h *Held) Release() {
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
