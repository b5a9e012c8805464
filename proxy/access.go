package proxy

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"

	"killick/proxy/auth"
	"killick/proxy/fault"
	"killick/proxy/format"
	"killick/proxy/reply"
	"killick/proxy/target"
)

// admit checks the key of a request, if keys are required. It reports whether to continue: a
// request without a valid key is answered with an error.
func (x *exchange) admit() (ok bool) {
	p := x.proxy
	if p.keys.Required() {
		var err error
		if x.sender.key, x.sender.text, err = p.keys.Find(x.in); err != nil {
			x.reply.BodyUnread(x.in)
			x.fail(p.unauthorized(err))
			return false
		}
	}
	return true
}

// requireKey rejects requests to our own paths without a valid key, if keys are required.
func (p *Proxy) requireKey(c *gin.Context) {
	if !p.keys.Required() {
		return
	}
	if _, _, err := p.keys.Find(c.Request); err != nil {
		p.unauthorized(err).Write(c.Writer)
		c.Abort()
	}
}

// unauthorized returns the error for a request without a valid key. It is the same whatever was
// wrong with the key.
func (p *Proxy) unauthorized(err error) *fault.Fault {
	reason := "unknown"
	message := "The API key is not one that this proxy accepts. Ask its operator for one."
	if errors.Is(err, auth.ErrNoKey) {
		reason = "missing"
		message = "No API key was sent. Send a valid one as " +
			"Authorization: Bearer KEY (or api-key, x-api-key, x-goog-api-key)."
	}
	p.metrics.unauthorized.With(reason).Inc()
	return &fault.Fault{Status: http.StatusUnauthorized, Kind: "invalid_api_key", Message: message}
}

// upstreamKey returns the key that replaces the client's credential, "" if none does.
func (x *exchange) upstreamKey() string {
	if x.sender.key != nil {
		if key := cmp.Or(x.sender.key.Upstreams[x.dest.up.Name], x.sender.key.Upstream); key != "" {
			return key
		}
	}
	return x.dest.up.APIKey
}

// authorize replaces the client's credential with the operator's key, if there is one.
func (x *exchange) authorize(h http.Header) {
	if key := x.upstreamKey(); key != "" {
		auth.Replace(h, key, x.sender.text, x.keyHeader(h))
	}
}

// keyHeader returns the header for the upstream's key: the configured one, or else the one in which
// the client sent its own key, if the API accepts it there, or else the one usual for the format.
// An inbound key was never meant for the upstream, so where it was sent says nothing.
func (x *exchange) keyHeader(h http.Header) auth.KeyHeader {
	_, sent := h["Authorization"]
	_, apiKey := h["Api-Key"]
	own := x.sender.text == "" // no inbound key was sent
	bearer := sent && own
	switch {
	case x.dest.up.KeyHeader != "" && x.dest.up.KeyHeader != auth.AsSent:
		return x.dest.up.KeyHeader
	case target.Azure(x.dest.path, x.in.URL.RawQuery), apiKey && !sent && own:
		return auth.InAPIKey
	case !bearer && x.kind.Format() == format.Messages:
		return auth.InXAPIKey
	case !bearer && x.kind.Format() == format.Gemini:
		return auth.InXGoogAPIKey
	}
	return auth.InAuthorization
}

// replaced returns the inbound key that is replaced and must not be forwarded, "" if there is none.
func (x *exchange) replaced() string {
	if x.sender.text == "" || x.upstreamKey() == "" {
		return ""
	}
	return x.sender.text
}

// query returns the query to send upstream: the client's, without parameters that contain a
// replaced inbound key. Google's clients may send their key as a parameter; the operator's replaces
// that one too.
func (x *exchange) query() string {
	raw := x.in.URL.RawQuery
	if x.kind.Format() == format.Gemini && raw != "" && x.upstreamKey() != "" {
		raw = auth.QueryWithoutKey(raw)
	}
	if key := x.replaced(); key != "" {
		raw = auth.QueryWithout(raw, key)
	}
	return raw
}

// stripTrailer removes from the request's trailer what is not for the upstream. Its values arrive
// after the body, so it is called again then.
func (x *exchange) stripTrailer() {
	reply.StripOwn(x.in.Trailer)
	auth.StripTrailer(x.in.Trailer, x.replaced())
}

// credentials returns the headers that authenticate the request at the upstream.
func (x *exchange) credentials() http.Header {
	h := auth.Credentials(x.in.Header)
	x.authorize(h)
	return h
}
