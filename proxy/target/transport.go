package target

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"killick/proxy/body"
)

// DefaultConnect is how long it may take to reach an upstream, and again its TLS handshake.
const DefaultConnect = 10 * time.Second

// NewTransport returns a transport to the upstream. connect is in place of DefaultConnect, unless
// it is zero. The caller closes its idle connections in the end.
func (u *Upstream) NewTransport(connect time.Duration) *http.Transport {
	if connect <= 0 {
		connect = DefaultConnect
	}
	dialer := &net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialUpstream(dialer),
		TLSHandshakeTimeout: connect,
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

		OnProxyConnectResponse: connected,
	}
	if u.OutboundProxy != nil {
		t.Proxy = http.ProxyURL(u.OutboundProxy)
	}
	if u.TLS != nil {
		t.TLSClientConfig = u.TLS.Clone()
	}
	if u.H2C {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP2(true)
		t.Protocols.SetUnencryptedHTTP2(true)
	}
	return t
}

// connected returns the error of an outbound proxy that refuses a tunnel, in the type of the others
// of outbound proxies. net/http's own has only the text after the status.
func connected(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
	if res.StatusCode == http.StatusOK {
		return nil
	}
	return &net.OpError{Op: "proxyconnect", Net: "tcp",
		Err: fmt.Errorf("the outbound proxy answered CONNECT with status %d", res.StatusCode)}
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
