package proxy

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"

	"killick/chat"
	"killick/proxy/body"
	"killick/proxy/events"
	"killick/proxy/fault"
	"killick/proxy/reply"
	"killick/proxy/tap"
)

// forwardingHeaders are those that ReverseProxy removes before it calls Rewrite. We are
// transparent: what the client sent is kept, and nothing is added.
var forwardingHeaders = []string{
	"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

func (p *Proxy) newReverse(bufferSize int) *httputil.ReverseProxy {
	return &httputil.ReverseProxy{
		Rewrite:        p.rewrite,
		Transport:      roundTripper(p.roundTrip),
		FlushInterval:  -1,
		BufferPool:     &copyBuffers{size: bufferSize},
		ModifyResponse: p.replied,
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) {
			x := exchangeOf(r.Context())
			x.fail(x.upstreamFault(err))
		},
		// replyBody notices a reply that is cut off, and why.
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// outgoing returns the request for the reverse proxy.
func (x *exchange) outgoing() *http.Request {
	in := x.in // a copy of the server's
	switch {
	case x.sent.body != nil:
		in.Body, in.ContentLength = http.NoBody, 0
	case in.Body != nil && in.Body != http.NoBody:
		// The upstream may answer while the client still sends. Without full duplex the
		// server would read the rest of the body itself and cut the upload.
		_ = x.reply.Controller().EnableFullDuplex()
		in.Body = keptOpen{in.Body}
	}
	return in
}

// rewrite builds the upstream request from a copy of the client's, without its
// hop-by-hop headers.
func (p *Proxy) rewrite(pr *httputil.ProxyRequest) {
	x, out := exchangeOf(pr.In.Context()), pr.Out
	out.URL = x.dest.target
	out.Host = ""
	for _, name := range forwardingHeaders {
		if values, ok := pr.In.Header[name]; ok {
			out.Header[name] = values
		}
	}
	if strings.EqualFold(out.Header.Get("Upgrade"), "h2c") {
		// It would carry requests that nobody inspects. Clients such as Java's offer it with every
		// first request, and a server may always ignore it.
		out.Header.Del("Upgrade")
		out.Header.Del("Connection")
	}
	reply.StripOwn(out.Header)
	x.authorize(out.Header)

	if x.sent.body == nil {
		// The server fills in the trailer after the body was read; a copy would never
		// get it.
		x.stripTrailer()
		if out.Trailer = x.in.Trailer; len(out.Trailer) > 0 {
			withTrailer(out)
		}
		if out.Body != nil {
			x.sent.upload = &body.Upload{
				ReadCloser: out.Body, Stall: &x.stall,
				FirstByte: p.opt.Timeouts.FirstByte, Ended: x.stripTrailer,
			}
			out.Body = x.sent.upload
		}
		return
	}
	x.setBody(out)
}

// replied inspects the upstream's reply before it is forwarded.
func (p *Proxy) replied(res *http.Response) error {
	x := exchangeOf(res.Request.Context())
	if code := res.StatusCode; code < http.StatusOK && code != http.StatusSwitchingProtocols {
		return fmt.Errorf("the upstream answered with status %d, want 200 or more", code)
	}
	x.answer.status = res.StatusCode
	reply.StripOwn(res.Header)
	reply.StripOwn(res.Trailer) // those announced; their values come at the end
	if len(res.Trailer) > 0 && x.in.ProtoMajor == 1 && x.in.Method != http.MethodHead {
		// HTTP/2 has trailers after a body of known length, HTTP/1.1 only after chunks.
		res.Header.Del("Content-Length")
	}
	x.answer.requestID = firstOf(res.Header, "X-Request-Id", "Request-Id", "Apim-Request-Id",
		"X-Amzn-Requestid")
	if res.StatusCode == http.StatusSwitchingProtocols {
		p.upgraded.Add(1)
		return nil // its body is the connection
	}
	// From here on the request is not sent again.
	if res.StatusCode/100 == 2 {
		x.holdForKeepAlive(res.Request)
	}
	x.sent.body.Release()
	x.sent.plain = nil
	if x.sent.expansion == nil { // else it may be sent again with more messages
		x.reserved.Release()
	}

	b := &replyBody{ReadCloser: res.Body, x: x, res: res}
	if x.wire.Streams && res.StatusCode/100 == 2 {
		if x.sent.expansion == nil { // else the expansion reads each of the replies
			b.tap = tap.New(res.Header, x.wire.Format, replyObserver{x})
		}
		b.events = events.NewBoundary(res)
	}
	res.Body = b
	return nil
}

// replyObserver records what a reply reports.
type replyObserver struct{ *exchange }

func (o replyObserver) Usage(u chat.Usage) { o.answer.usage, o.answer.hasUsage = u, true }
func (o replyObserver) WindowFull()        { o.proxy.metrics.windowFull() }

// replyBody forwards the upstream's reply, and records how it ends.
type replyBody struct {
	io.ReadCloser
	x   *exchange
	res *http.Response
	tap *tap.Tap // nil: the usage is not read
	// events tracks the position in an event stream, nil for other replies.
	events *events.Boundary
	last   []byte // an event that says how the stream was cut
	err    error  // the error that cut it, once last is set
}

func (b *replyBody) Read(p []byte) (int, error) {
	if b.err != nil {
		n := copy(p, b.last)
		if b.last = b.last[n:]; n > 0 {
			return n, nil
		}
		return 0, b.err
	}
	b.x.stall.Arm(b.x.proxy.opt.Timeouts.Idle)
	n, err := b.ReadCloser.Read(p)
	b.x.stall.Disarm()
	b.tap.Feed(p[:n])
	b.events.Feed(p[:n])
	switch err {
	case nil:
	case io.EOF:
		b.x.reply.BodyDone()
		reply.StripOwn(b.res.Trailer)
		b.tap.End()
	default:
		b.x.fault = b.x.upstreamFault(err)
		b.tap.End()
		if n == 0 && b.x.fault.Status != fault.StatusClientGone && b.x.reply.Withdraw() {
			return 0, err // nothing reached the client: it gets an error (recovered)
		}
		if b.last = b.cutEvent(); b.last != nil {
			b.err = err
			return n, nil
		}
	}
	return n, err
}

// cutEvent returns the event that tells a client of HTTP/1.0 why a stream was cut. Without it the
// client would take the closed connection for the end of the reply. It is nil for another reply, in
// the middle of an event, and for a client that left. Clients of later versions notice that the
// reply has no end, and see what they would see without Killick: pi (1.5.2), for one, sends the
// request again, and gives up at an error whose words it does not know.
func (b *replyBody) cutEvent() []byte {
	f := b.x.fault
	if b.x.in.ProtoAtLeast(1, 1) || !b.events.Between() || f.Status == fault.StatusClientGone {
		return nil
	}
	return f.Public(b.x.id()).Event(b.x.wire.Format)
}

func (b *replyBody) Close() error {
	b.tap.End()
	return b.ReadCloser.Close()
}

// copyBuffers pools the buffers for copying replies.
type copyBuffers struct {
	size int
	pool sync.Pool // of *[]byte
}

// A stream that waits holds its buffer. Events and completions are small;
// downloads are not, and gain nothing that could be measured beyond this.
const (
	chatBufferSize = 2 << 10
	copyBufferSize = 16 << 10
)

func (c *copyBuffers) Get() []byte {
	if b, ok := c.pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, c.size)
}

func (c *copyBuffers) Put(b []byte) {
	if len(b) == c.size {
		c.pool.Put(&b)
	}
}
