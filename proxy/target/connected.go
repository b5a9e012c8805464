package target

import (
	"net/http"
	"time"
)

// Connected is an upstream that is in use.
type Connected struct {
	Upstream
	Base      Base
	Transport *http.Transport
	Upgrades  *http.Transport // for requests that become another protocol
}

// Connect returns the upstream with its transports. connect is as for [Upstream.NewTransport]. The
// caller closes its idle connections in the end.
func (u Upstream) Connect(connect time.Duration) *Connected {
	c := &Connected{
		Upstream: u, Base: NewBase(u.BaseURL), Transport: u.NewTransport(connect),
	}
	c.Upgrades = c.Transport
	if u.H2C { // HTTP/2 does not support them
		u.H2C = false
		c.Upgrades = u.NewTransport(connect)
	}
	return c
}

// CloseIdle closes the connections that no request uses.
func (c *Connected) CloseIdle() {
	c.Transport.CloseIdleConnections()
	c.Upgrades.CloseIdleConnections()
}
