package reply

import (
	"io"
	"sync/atomic"
)

// incoming is the body of an HTTP/1 request, and whether it was read to its end. In full duplex the
// server ignores the rest of a body, so the connection would continue in the middle of one: with a
// rest that arrives late, or after broken framing.
type incoming struct {
	io.ReadCloser
	ended atomic.Bool
}

func (b *incoming) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.ended.Store(true)
	}
	return n, err
}
