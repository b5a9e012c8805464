package proxy

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"killick/proxy/auth"
	"killick/proxy/body"
	"killick/proxy/coding"
	"killick/proxy/fault"
	"killick/proxy/target"
)

// Upstream is an API that requests are forwarded to.
type Upstream struct {
	Name  string      // for logs and metrics
	Takes target.Rule // which requests match it
	// BaseURL is the API's base URL, such as https://api.openai.com/v1: what clients call /v1.
	// It must not contain credentials.
	BaseURL *url.URL
	// APIKey replaces the credential that the client sent. If empty, the client's is forwarded.
	APIKey    string
	KeyHeader auth.KeyHeader // that APIKey, or an inbound key's, is sent in

	// TLS configures connections. If nil, the system's roots and no client certificate.
	TLS *tls.Config
	// OutboundProxy is the HTTP or SOCKS proxy for connections. If nil, from the environment
	// (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).
	OutboundProxy *url.URL
	// H2C only uses HTTP/2 without TLS for an http:// URL, except for upgrades, which HTTP/2 does
	// not support. With TLS the version is negotiated.
	H2C bool
}

// onlyUpstream is the name of the upstream if there is only one.
const onlyUpstream = "default"

// upstreams returns the upstreams of the options; that of the short form matches everything.
func (o *Options) upstreams() []Upstream {
	if len(o.Upstreams) > 0 {
		return o.Upstreams
	}
	only := o.Upstream
	only.Name, only.Takes = onlyUpstream, target.Rule{}
	return []Upstream{only}
}

// upstreamFaults are the errors of the upstreams' options.
func (o *Options) upstreamFaults() (errs []error) {
	if len(o.Upstreams) > 0 && (o.Upstream.BaseURL != nil || o.Upstream.APIKey != "") {
		errs = append(errs, errors.New("upstream: set in addition to upstreams"))
	}
	names := map[string]bool{}
	for _, u := range o.upstreams() {
		at := "upstream"
		if len(o.Upstreams) > 0 {
			at = "upstream " + strconv.Quote(u.Name)
			if u.Name == "" || names[u.Name] {
				errs = append(errs, fmt.Errorf("%s: the name is empty or already used", at))
			}
			names[u.Name] = true
		}
		switch b := u.BaseURL; {
		case b == nil:
			errs = append(errs, fmt.Errorf("%s: no URL given", at))
		case b.Scheme != "http" && b.Scheme != "https" || b.Host == "":
			// The URL itself may contain a credential: it is not quoted.
			errs = append(errs, fmt.Errorf("%s: not an absolute http or https URL", at))
		case b.User != nil:
			errs = append(errs, fmt.Errorf("%s: the URL contains credentials; set them as the "+
				"API key", at))
		case b.Fragment != "":
			errs = append(errs, fmt.Errorf("%s: the URL has a fragment", at))
		}
		if strings.ContainsAny(u.APIKey, "\r\n\x00") {
			errs = append(errs, fmt.Errorf("%s: the API key has a line break or a zero byte in it",
				at))
		}
	}
	for _, k := range o.Keys {
		if len(o.Upstreams) > 0 && k.Upstream != "" {
			errs = append(errs, fmt.Errorf("inbound keys: the upstream key of %s says not which "+
				"of the upstreams it is for", k.Name))
		}
	}
	return errs
}

// upstream is one that is in use.
type upstream struct {
	Upstream
	base      target.Base
	transport *http.Transport
	upgrades  *http.Transport // for requests that become another protocol
}

func newUpstream(u Upstream, t Timeouts) *upstream {
	up := &upstream{Upstream: u, base: target.NewBase(u.BaseURL), transport: newTransport(u, t)}
	up.upgrades = up.transport
	if u.H2C { // HTTP/2 does not support them
		u.H2C = false
		up.upgrades = newTransport(u, t)
	}
	return up
}

// NewTransport returns a transport to an upstream with separate connections, for our own calls.
// The caller closes its idle connections in the end.
func NewTransport(u Upstream, t Timeouts) *http.Transport {
	return newTransport(u, t.withDefaults())
}

func newTransport(u Upstream, t Timeouts) *http.Transport {
	transport := target.NewTransport(target.TransportOptions{
		Connect: t.Connect, TLS: u.TLS, OutboundProxy: u.OutboundProxy,
	})
	if u.H2C {
		transport.Protocols = new(http.Protocols)
		transport.Protocols.SetHTTP2(true)
		transport.Protocols.SetUnencryptedHTTP2(true)
	}
	return transport
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
	x.up = x.proxy.upstreams[i]
	x.path = x.up.base.Path(x.asked)
	x.target = x.up.base.URL(x.path, x.query(), x.in.URL.ForceQuery)
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
	if x.up != nil {
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
		model = x.wire.model(plain)
	}
	if x.clientGone() {
		x.fail(fault.ClientGone())
		return false
	}
	if !x.routeByModel(model) {
		return false
	}
	x.body = body.HoldOwned(raw)
	return true
}

// mayNameModel reports whether a request has a body of JSON.
func mayNameModel(r *http.Request) bool {
	media := strings.ToLower(cmp.Or(r.Header.Get("Content-Type"), "json"))
	return r.Body != nil && r.Body != http.NoBody && strings.Contains(media, "json")
}
