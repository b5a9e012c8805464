package proxy

import "net/http"

// send makes one attempt. Each has its own time limit for the first byte.
func (p *Proxy) send(x *exchange, r *http.Request) (*http.Response, error) {
	x.stall.SetReplied(false)
	x.stall.Arm(p.opt.Timeouts.FirstByte)
	transport := x.dest.up.Transport
	if r.Header.Get("Upgrade") != "" {
		transport = x.dest.up.Upgrades
	}
	res, err := transport.RoundTrip(r)
	x.stall.SetReplied(err == nil)
	x.stall.Disarm()
	return res, err
}

// digestHeaders depend on the bytes of the body, and are wrong once those change.
var digestHeaders = []string{
	"Content-Encoding", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest",
}

// setBody sets the held body as the request's body.
func (x *exchange) setBody(out *http.Request) {
	// The client got its 100 already.
	out.Header.Del("Expect")
	out.TransferEncoding, out.Trailer = nil, nil
	changed := x.rewritten()
	if x.sent.expansion != nil {
		out.Header.Set("Accept-Encoding", "identity") // its reply is read
	}
	if changed {
		for _, name := range digestHeaders {
			out.Header.Del(name)
		}
	}
	x.allowSummary(out.Header)
	out.ContentLength = x.sent.body.Len()
	if x.sent.body.Len() == 0 {
		out.Body = http.NoBody
	} else {
		out.Body, _ = x.sent.body.Open() // it is held until the reply
		out.GetBody = x.sent.body.Open
	}
	x.stripTrailer()
	if len(x.in.Trailer) > 0 && !changed {
		out.Trailer = x.in.Trailer
		withTrailer(out)
	}
}

// withTrailer has a request sent so that its trailer can follow: HTTP/2 has trailers after a body
// of known length, HTTP/1.1 only after chunks.
func withTrailer(out *http.Request) {
	out.ContentLength, out.TransferEncoding = -1, []string{"chunked"}
}

// allowSummary adds the headers that a request needs if its body begins with a summary by the
// provider's API, and removes them if the next attempt has none.
func (x *exchange) allowSummary(h http.Header) {
	switch {
	case x.sent.changed && x.outcome.Provider:
		x.wire.Format.AllowSummary(h)
		x.allowed = true
	case x.allowed:
		x.wire.Format.WithdrawSummary(h, x.in.Header)
		x.allowed = false
	}
}
