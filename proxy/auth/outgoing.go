package auth

import (
	"net/http"
	"net/url"
	"strings"
)

// versionHeaders say in which version an API is asked, and which of its betas are. They say
// nothing of who the client is; a credential may be good under a beta alone, and so may members of
// a body.
var versionHeaders = []string{"Anthropic-Version", "Anthropic-Beta"}

// Credentials returns a copy of the headers that say whose request this is, and in which version
// the API is asked. Cookies are a browser's own, and Proxy-Authorization is for the next proxy.
func Credentials(in http.Header) http.Header {
	h := http.Header{}
	for _, name := range append(whoHeaders(in), versionHeaders...) {
		if values, ok := in[name]; ok && name != "Cookie" && name != "Proxy-Authorization" {
			h[name] = values
		}
	}
	return h
}

// KeyHeader says in which header an upstream gets its key.
type KeyHeader string

// The headers. AsSent is the one in which the client sent its own, as far as the API takes it
// there.
const (
	AsSent          KeyHeader = "as_sent"
	InAuthorization KeyHeader = "authorization" // Authorization: Bearer
	InXAPIKey       KeyHeader = "x-api-key"     // Anthropic's
	InAPIKey        KeyHeader = "api-key"       // Azure's
)

// Replace puts the operator's key in the place of the client's credential, in the header that
// where names. An inbound key that is replaced goes nowhere, wherever else the client wrote it:
// presented is its text, "" if the client presented none.
func Replace(h http.Header, key, presented string, where KeyHeader) {
	for _, name := range []string{"Authorization", "Api-Key", "X-Api-Key"} {
		h.Del(name)
	}
	if presented != "" {
		dropKey(h, presented)
	}
	switch where {
	case InAPIKey:
		h.Set("Api-Key", key)
	case InXAPIKey:
		h.Set("X-Api-Key", key)
	default:
		h.Set("Authorization", "Bearer "+key)
	}
}

// dropKey takes a key out of headers that hold it, and with it the rest of their value; of
// a list of WebSocket protocols only the one item goes.
func dropKey(h http.Header, key string) {
	for name, values := range h {
		if name == "Sec-Websocket-Protocol" {
			h[name] = withoutItems(values, key)
		} else {
			h[name] = without(values, key)
		}
		if len(h[name]) == 0 {
			delete(h, name)
		}
	}
}

func without(values []string, key string) (kept []string) {
	for _, v := range values {
		if !strings.Contains(v, key) {
			kept = append(kept, v)
		}
	}
	return kept
}

func withoutItems(values []string, key string) (kept []string) {
	for _, v := range values {
		if !strings.Contains(v, key) {
			kept = append(kept, v)
			continue
		}
		if items := without(strings.Split(v, ","), key); len(items) > 0 {
			kept = append(kept, strings.TrimSpace(strings.Join(items, ",")))
		}
	}
	return kept
}

// QueryWithout returns a query without the parameters that hold a key.
func QueryWithout(raw, key string) string {
	if raw == "" {
		return ""
	}
	var kept []string
	for param := range strings.SplitSeq(raw, "&") {
		text, err := url.QueryUnescape(param)
		if err != nil {
			text = param
		}
		if !strings.Contains(text, key) {
			kept = append(kept, param)
		}
	}
	return strings.Join(kept, "&")
}
