package target

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"killick/proxy/body"
)

// TransportOptions configure connections to an upstream.
type TransportOptions struct {
	Connect time.Duration // to reach it, and again for its TLS handshake
	TLS     *tls.Config   // if nil, the system's roots and no client certificate
	// OutboundProxy is the HTTP or SOCKS proxy to use. If nil, from the environment
	// (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
	OutboundProxy *url.URL
}

// NewTransport returns a transport to an upstream.
func NewTransport(opt TransportOptions) *http.Transport {
	dialer := &net.Dialer{Timeout: opt.Connect, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialUpstream(dialer),
		TLSHandshakeTimeout: opt.Connect,
		// Otherwise it would request gzip by itself and return decoded bodies.
		DisableCompression: true,
		ForceAttemptHTTP2:  true,
		// All requests are for one host: with the default of two idle connections every
		// burst would dial again.
		MaxIdleConnsPerHost: 1024,
		// An idle stream holds its buffers. Reads are small events, or larger than any
		// buffer, and then bypass it.
		ReadBufferSize:        2 << 10,
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		// A connection whose other end disappeared is noticed.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
	if opt.OutboundProxy != nil {
		t.Proxy = http.ProxyURL(opt.OutboundProxy)
	}
	if opt.TLS != nil {
		t.TLSClientConfig = opt.TLS.Clone()
	}
	return t
}

// dialUpstream dials connections that write a held body in one call.
func dialUpstream(d *net.Dialer) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, addr)
		if tcp, ok := conn.(*net.TCPConn); ok {
			return upstreamConn{tcp}, err
		}
		return conn, err
	}
}

// upstreamConn is a connection that writes a held body in one call. The standard library
// would copy it through a buffer of 32 KiB that it allocates for each request.
type upstreamConn struct{ *net.TCPConn }

// ReadFrom is what [http.Transport] sends a body with. r is then limited to the length that
// the header announces.
func (c upstreamConn) ReadFrom(r io.Reader) (int64, error) {
	if limited, ok := r.(*io.LimitedReader); ok {
		if held, ok := limited.R.(*body.Reader); ok {
			n, err := held.WriteAtMost(c.TCPConn, limited.N)
			limited.N -= n
			return n, err
		}
	}
	return c.TCPConn.ReadFrom(r)
}
