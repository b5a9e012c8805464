package body

import (
	"io"
	"sync/atomic"
	"time"

	"killick/proxy/stall"
)

// Upload is a request body that is streamed to the upstream. Reading it restarts the time in which
// the upstream's reply must begin.
type Upload struct {
	io.ReadCloser
	Stall     *stall.Timer
	FirstByte time.Duration // that the upstream has from then on
	Ended     func()        // is called at the end of the body

	n   atomic.Int64
	err atomic.Pointer[error]
}

func (u *Upload) Read(p []byte) (int, error) {
	waiting := !u.Stall.Replied()
	if waiting {
		u.Stall.Disarm()
	}
	n, err := u.ReadCloser.Read(p)
	if waiting {
		u.Stall.ArmForReply(u.FirstByte)
	}
	u.n.Add(int64(n))
	if err == io.EOF {
		u.Ended()
	} else if err != nil {
		u.err.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Len returns how many bytes were read.
func (u *Upload) Len() int64 { return u.n.Load() }

// Failed reports whether reading failed: then the client caused the transport's error.
func (u *Upload) Failed() bool { return u.err.Load() != nil }
