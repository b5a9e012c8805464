package body

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestBuffersAreLittleLargerThanTheirBodies(t *testing.T) {
	pools := map[any]int{}
	for n := 1; n <= maxPooled+1; n += 1 + n/100 {
		size, pool := sizeClass(n)
		switch {
		case n <= Small || n > maxPooled:
			if size != n || pool != nil {
				t.Errorf("%d bytes: a buffer of %d, pooled: %t", n, size, pool != nil)
			}
			continue
		case size < n || size > max(minPooled, n+n/4+1):
			t.Errorf("%d bytes: a buffer of %d", n, size)
		}
		if other, ok := pools[pool]; ok && other != size {
			t.Errorf("buffers of %d and of %d bytes share a pool", other, size)
		}
		pools[pool] = size
		if again, same := sizeClass(size); again != size || same != pool {
			t.Errorf("a buffer of %d bytes is not taken back where it was taken from", size)
		}
	}
	if _, pool := sizeClass(maxPooled); pool == nil || len(pools) < 30 {
		t.Errorf("%d pools, the largest body has one: %t", len(pools), pool != nil)
	}
}

// TestOwnedBodiesAreFreedOnce: by the last of those that use it, in whatever order they end,
// and never where somebody else keeps a slice.
func TestOwnedBodiesAreFreedOnce(t *testing.T) {
	text := strings.Repeat("body ", Small)
	for name, test := range map[string]struct {
		steps func(h *Held, open func() io.ReadCloser)
		freed int
	}{
		"never sent": {func(h *Held, _ func() io.ReadCloser) { h.Release() }, 1},
		"released twice": {func(h *Held, _ func() io.ReadCloser) {
			h.Release()
			h.Release()
		}, 1},
		"not released": {func(_ *Held, open func() io.ReadCloser) { open().Close() }, 0},
		"sent, then released": {func(h *Held, open func() io.ReadCloser) {
			r := open()
			_, _ = io.ReadAll(r)
			r.Close()
			r.Close()
			h.Release()
		}, 1},
		"released while it is sent": {func(h *Held, open func() io.ReadCloser) {
			r := open()
			h.Release()
			_, _ = io.ReadAll(r)
			r.Close()
		}, 1},
		"sent to its end, not closed": {func(h *Held, open func() io.ReadCloser) {
			_, _ = io.ReadAll(open())
			h.Release()
		}, 0},
		"sent twice, one is left": {func(h *Held, open func() io.ReadCloser) {
			a, _ := open(), open()
			a.Close()
			a.Close()
			h.Release()
		}, 0},
		"kept": {func(h *Held, open func() io.ReadCloser) {
			h.Keep()
			open().Close()
			h.Release()
		}, 0},
		"closed in the middle of a write": {func(h *Held, open func() io.ReadCloser) {
			r := open()
			h.Release()
			_, _ = r.(*Reader).WriteAtMost(writer(func(b []byte) {
				r.Close()
				if string(b) != text {
					t.Error("the body was taken away from what writes it")
				}
			}), 1<<20)
			if n, err := r.(*Reader).WriteAtMost(io.Discard, 1<<20); n != 0 || err != nil {
				t.Errorf("after its end: %d bytes, %v", n, err)
			}
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			freed := 0
			h := HoldOwned([]byte(text))
			h.free = func(b []byte) {
				freed++
				clear(b)
			}
			test.steps(h, func() io.ReadCloser {
				r, err := h.Open()
				if err != nil {
					t.Fatal(err)
				}
				return r
			})
			if freed != test.freed {
				t.Errorf("freed %d times, want %d", freed, test.freed)
			}
		})
	}
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}

func TestHeldBodiesAreReadWhole(t *testing.T) {
	for _, size := range []int{0, 1, Small, Small + 1, 100_000} {
		text := bytes.Repeat([]byte("x"), size)
		h := Hold(text)
		for range 2 {
			r, err := h.Open()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
				t.Errorf("%d bytes: read %d, %v", size, len(got), err)
			}
			r.Close()
		}
		h.Release()
		if _, err := h.Open(); err == nil || h.Len() != int64(size) {
			t.Errorf("%d bytes: opened after the release, length %d", size, h.Len())
		}
	}
}

func TestAHeldBodyIsWrittenUpToALimit(t *testing.T) {
	r, err := Hold(bytes.Repeat([]byte("x"), 10_000)).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	for _, want := range []int64{6000, 4000, 0} {
		if n, err := r.(*Reader).WriteAtMost(&out, 6000); n != want || err != nil {
			t.Errorf("wrote %d, %v; want %d", n, err, want)
		}
	}
	if out.Len() != 10_000 {
		t.Errorf("wrote %d bytes in all", out.Len())
	}
}
