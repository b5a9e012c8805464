package proxy

import (
	"net/http"
	"strings"
)

const (
	isolateCredential = "credential"
	isolateInbound    = "inbound-key"
	isolateHeader     = "header:"
)

// credentialHeaders are all that may say who a client is. Organisation and
// project belong to it: one key may act for several.
var credentialHeaders = []string{
	"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key",
	"Openai-Organization", "Openai-Project",
}

// credentialQueries are the query parameters that carry a credential.
var credentialQueries = []string{"key", "api-key", "api_key", "subscription-key", "access_token", "token"}

// who returns the keyed hash of whoever sent r. Two requests with the same hash
// may share what is learnt, so everything that may tell two senders apart is in
// it, each at its place.
func (p *Proxy) who(r *http.Request) string {
	if p.opt.Isolation == isolateInbound {
		// Nobody gets here without a key; if anybody did, the credential decides.
		if key, _, err := p.keys.find(r); err == nil {
			return p.opt.Who(isolateInbound, key.Name)
		}
	}
	if p.isolation != "" {
		// Without the header the credential decides: clients that lack it must
		// not share with one another.
		if values := r.Header[p.isolation]; len(values) > 0 {
			return p.opt.Who("header", strings.Join(values, "\x00"))
		}
	}
	parts := make([]string, 1, 1+len(credentialHeaders))
	parts[0] = isolateCredential
	for _, name := range credentialHeaders {
		// No header value holds a zero byte.
		parts = append(parts, strings.Join(r.Header[name], "\x00"))
	}
	if r.URL.RawQuery != "" {
		query := r.URL.Query()
		for _, name := range credentialQueries {
			if values := query[name]; len(values) > 0 {
				parts = append(parts, name, strings.Join(values, "\x00"))
			}
		}
	}
	return p.opt.Who(parts...)
}

// credentials returns the headers that say at the upstream whose request this is.
func (x *exchange) credentials() http.Header {
	h := http.Header{}
	for _, name := range credentialHeaders {
		if values, ok := x.in.Header[name]; ok {
			h[name] = values
		}
	}
	x.authorize(h)
	return h
}
