package proxy

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"killick/proxy/body"
	"killick/proxy/coding"
	"killick/proxy/fault"
	"killick/proxy/target"
)

// upstream is one that is in use.
type upstream struct {
	target.Upstream
	base      target.Base
	transport *http.Transport
	upgrades  *http.Transport // for requests that become another protocol
}

func newUpstream(u target.Upstream, t Timeouts) *upstream {
	up := &upstream{
		Upstream: u, base: target.NewBase(u.BaseURL), transport: u.NewTransport(t.Connect),
	}
	up.upgrades = up.transport
	if u.H2C { // HTTP/2 does not support them
		u.H2C = false
		up.upgrades = u.NewTransport(t.Connect)
	}
	return up
}

func (u *upstream) closeIdle() {
	u.transport.CloseIdleConnections()
	u.upgrades.CloseIdleConnections()
}

// routeByPath chooses the upstream if the path decides. It reports whether to continue, which
// is without an upstream if the model decides.
func (x *exchange) routeByPath() (ok bool) {
	i := target.ByPath(x.proxy.rules, x.asked, x.kind)
	if i == target.Unknown {
		return true
	}
	return x.useUpstream(i, "")
}

// routeByModel chooses the upstream of a request by its model, if the path does not decide.
// model is "" if the request names none.
func (x *exchange) routeByModel(model string) (ok bool) {
	return x.useUpstream(target.ByModel(x.proxy.rules, x.asked, x.kind, model), model)
}

// useUpstream directs a request to the upstream of an index, or answers it if there is none.
func (x *exchange) useUpstream(i int, model string) (ok bool) {
	if i == target.None {
		x.fail(x.noUpstream(model))
		return false
	}
	x.dest.up = x.proxy.upstreams[i]
	x.dest.path = x.dest.up.base.Path(x.asked)
	x.dest.target = x.dest.up.base.URL(x.dest.path, x.query(), x.in.URL.ForceQuery)
	return true
}

// noUpstream is the error for a request that matches no upstream. It does not contain the path.
func (x *exchange) noUpstream(model string) *fault.Fault {
	what := "requests of the format " + string(x.kind.Format())
	if model = printable(model); model != "" && len(model) <= 100 {
		what += " for the model " + strconv.Quote(model)
	}
	return &fault.Fault{Status: http.StatusNotFound, Kind: "no_upstream",
		Message: "No upstream in Killick's configuration matches " + what + ". Add the format to " +
			"formats, or the model to models, of an entry of upstreams; or add a last entry " +
			"without formats, paths and models, which matches everything."}
}

// prepareRouted chooses the upstream of a request that does not go to the Compactor. Its body is
// only buffered if the model in it decides.
func (x *exchange) prepareRouted() (forward bool) {
	if x.dest.up != nil {
		return true
	}
	if !mayNameModel(x.in) {
		return x.routeByModel("")
	}
	raw, ok := x.read()
	if !ok {
		return false
	}
	plain, err := body.Decode(coding.Of(x.in.Header), raw, x.proxy.opt.MaxBody, &x.reserved)
	if errors.Is(err, body.ErrTooLarge) {
		x.fail(x.bodyFault(err))
		return false
	}
	model := ""
	if err == nil {
		model = x.wire.Model(plain)
	}
	if x.clientGone() {
		x.fail(fault.ClientGone())
		return false
	}
	if !x.routeByModel(model) {
		return false
	}
	x.sent.body = body.HoldOwned(raw)
	return true
}

// mayNameModel reports whether a request has a body of JSON.
func mayNameModel(r *http.Request) bool {
	media := strings.ToLower(cmp.Or(r.Header.Get("Content-Type"), "json"))
	return r.Body != nil && r.Body != http.NoBody && strings.Contains(media, "json")
}
