package target

import (
	"crypto/tls"
	"errors"
	"net/url"
	"strings"

	"killick/proxy/auth"
)

// Upstream is an API that requests are forwarded to.
type Upstream struct {
	Name  string // for logs and metrics
	Takes Rule   // which requests match it
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

// Faults are the errors of the base URL and the key. None quotes them: both may hold a credential.
func (u *Upstream) Faults() (errs []error) {
	switch b := u.BaseURL; {
	case b == nil:
		errs = append(errs, errors.New("no URL given"))
	case b.Scheme != "http" && b.Scheme != "https" || b.Host == "":
		errs = append(errs, errors.New("not an absolute http or https URL"))
	case b.User != nil:
		errs = append(errs, errors.New("the URL contains credentials; set them as the API key"))
	case b.Fragment != "":
		errs = append(errs, errors.New("the URL has a fragment"))
	}
	if strings.ContainsAny(u.APIKey, "\r\n\x00") {
		errs = append(errs, errors.New("the API key has a line break or a zero byte in it"))
	}
	return errs
}
