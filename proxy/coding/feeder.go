package coding

import (
	"io"
	"iter"
)

// Feeder decodes a stream that is pushed to it piece by piece, in the caller's goroutine. Decoders
// pull their input. So this one runs as a coroutine, which is resumed when there is something to
// read and yields when it has read everything: there is no goroutine to wait for, no growing queue
// and no blocking.
type Feeder struct {
	plain func([]byte) // takes what has no coding; then there is no decoder
	next  func() (struct{}, bool)
	stop  func()
	in    []byte // what the decoder may read now
	dead  bool   // nothing more is decoded
}

// NewFeeder returns a Feeder that calls each with the decoded text, at most limit bytes of it: a
// reply of 1 MB may decompress to 1 GB. Without a coding (""), text is passed on unchanged,
// whatever its length. The caller calls End.
func NewFeeder(coding string, limit int64, each func([]byte)) *Feeder {
	if coding == "" {
		return &Feeder{plain: each, stop: func() {}}
	}
	return Pull(func(src io.Reader) {
		d, err := Open(coding, src)
		if err != nil {
			return
		}
		defer func() { _ = d.Close() }()
		buf := make([]byte, 8<<10)
		for limit > 0 && err == nil {
			var n int
			n, err = d.Read(buf)
			limit -= int64(n)
			each(buf[:n])
		}
	})
}

// Pull returns a Feeder with another decoder: read reads what is fed until it wants no more. The
// caller calls End.
func Pull(read func(src io.Reader)) *Feeder {
	u := new(Feeder)
	u.next, u.stop = iter.Pull(func(yield func(struct{}) bool) { read(pulled{u, yield}) })
	return u
}

// Feed decodes the next piece and reports whether more of them are wanted.
func (u *Feeder) Feed(b []byte) bool {
	if u.dead {
		return false
	}
	if u.plain != nil {
		u.plain(b)
		return true
	}
	u.in = b
	_, more := u.next()
	u.in, u.dead = nil, !more
	return more
}

// End decodes what is left and frees the decoder. It may be called twice.
func (u *Feeder) End() {
	u.dead = true
	u.stop() // the decoder reads the end of its input
}

// pulled is what the decoder reads from.
type pulled struct {
	u     *Feeder
	yield func(struct{}) bool
}

func (p pulled) Read(b []byte) (int, error) {
	for len(p.u.in) == 0 {
		if !p.yield(struct{}{}) {
			return 0, io.EOF
		}
	}
	n := copy(b, p.u.in)
	p.u.in = p.u.in[n:]
	return n, nil
}
