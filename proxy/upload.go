package proxy

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// keptOpen is an upload that only the server closes: the reverse proxy would do so
// as soon as it is done, and nothing could be read on.
type keptOpen struct{ io.Reader }

func (keptOpen) Close() error { return nil }

// lingerIdle is how long a client that has its answer may send nothing before no
// more of its upload is read.
const lingerIdle = 250 * time.Millisecond

// linger reads on for a while where the upstream has answered an upload without
// reading all of it. A connection that is closed while the client still sends is
// reset, and the answer is lost with it.
func (x *exchange) linger() {
	if x.upload == nil || x.in.ProtoMajor != 1 || x.reply.status == 0 || x.upstream == http.StatusSwitchingProtocols {
		return
	}
	if x.upload.n.Load() == 0 && x.in.Header.Get("Expect") != "" {
		return // nobody has asked for it: reading would
	}
	_ = x.reply.FlushError()
	buf := make([]byte, 32<<10)
	for end := time.Now().Add(rejectedRead); time.Now().Before(end) && !x.clientGone(); {
		if x.reply.ctl.SetReadDeadline(time.Now().Add(lingerIdle)) != nil {
			return
		}
		if _, err := x.in.Body.Read(buf); err != nil {
			break
		}
	}
	_ = x.reply.ctl.SetReadDeadline(time.Time{})
}

// clientBody is the body of a request that is streamed.
type clientBody struct {
	io.ReadCloser
	x *exchange
	n atomic.Int64 // bytes read
	// err is why reading failed, if it did: then the client is to blame for what
	// the transport reports.
	err atomic.Pointer[error]
}

func (b *clientBody) Read(p []byte) (int, error) {
	waiting := !b.x.watch.replied.Load()
	if waiting {
		b.x.watch.disarm()
	}
	n, err := b.ReadCloser.Read(p)
	if waiting {
		b.x.watch.arm(b.x.proxy.opt.Timeouts.FirstByte)
	}
	b.n.Add(int64(n))
	if err == io.EOF {
		stripOurs(b.x.in.Trailer)
	} else if err != nil {
		b.err.CompareAndSwap(nil, &err)
	}
	return n, err
}
