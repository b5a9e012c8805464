package body

import (
	"math/bits"
	"sync"
)

// The buffers of bodies are reused: otherwise a proxy of large requests would spend its time
// clearing and collecting memory. There are four sizes per doubling, so that a body takes at most
// a quarter more than its length.
const (
	minPooled = 4 << 10
	maxPooled = atOnce
)

// buffers has a pool of *[]byte for each size, from minPooled to maxPooled.
var buffers [4 * 11]sync.Pool

// sizeClass returns the smallest size of a buffer for n bytes, and the pool of that size;
// the pool is nil if such buffers are not pooled.
func sizeClass(n int) (size int, pool *sync.Pool) {
	if n <= Small || n > maxPooled {
		return n, nil
	}
	n = max(n, minPooled)
	doubling := bits.Len(uint(n-1)) - 1 // 2^doubling < n <= 2^(doubling+1)
	step := 1 << (doubling - 2)
	size = (n + step - 1) &^ (step - 1)
	first := bits.Len(minPooled-1) - 1
	return size, &buffers[4*(doubling-first)+(size-1<<doubling)/step-1]
}

// newBuffer returns n bytes, whose content is not cleared.
func newBuffer(n int) []byte {
	size, pool := sizeClass(n)
	if pool != nil {
		if b, ok := pool.Get().(*[]byte); ok {
			return (*b)[:n]
		}
	}
	return make([]byte, n, size)
}

// reuse returns a buffer to its pool. Nothing may use it any more.
func reuse(b []byte) {
	b = b[:cap(b)]
	size, pool := sizeClass(len(b))
	if pool == nil || size != len(b) {
		return
	}
	if overwriteReused {
		for i := range b {
			b[i] = 0xdb
		}
	}
	pool.Put(&b)
}

// atOnce is how much of a body of a known length is reserved after FirstPart. A larger one gets
// more as it comes.
const atOnce = 2560 << 10

// Small is the size up to which a body is sent in one packet with the header: half of the
// transport's buffer.
const Small = 2 << 10
