package auth

import (
	"net/http"
	"net/url"
	"strings"
)

// versionHeaders select the version of an API and its betas. They do not identify a client, but a
// credential, or members of a body, may only be valid with a beta.
var versionHeaders = []string{"Anthropic-Version", "Anthropic-Beta"}

// Credentials returns a copy of the headers that authenticate a request and select the API version.
// Cookies are a browser's own, and Proxy-Authorization is for the next proxy.
func Credentials(in http.Header) http.Header {
	h := http.Header{}
	for _, name := range append(identifyingHeaders(in), versionHeaders...) {
		if values, ok := in[name]; ok && name != "Cookie" && name != "Proxy-Authorization" {
			h[name] = values
		}
	}
	return h
}

// KeyHeader is the header in which an upstream gets its key.
type KeyHeader string

// The headers. AsSent is the one in which the client sent its own key, if the API accepts it there.
const (
	AsSent          KeyHeader = "as_sent"
	InAuthorization KeyHeader = "authorization" // Authorization: Bearer
	InXAPIKey       KeyHeader = "x-api-key"     // Anthropic's
	InAPIKey        KeyHeader = "api-key"       // Azure's

	InXGoogAPIKey KeyHeader = "x-goog-api-key" // Google's
)

// Replace replaces the client's credentials with the operator's key, in the header that where
// names. Cookies of load balancers stay. A replaced inbound key is removed everywhere: presented is
// its text, "" if the client presented none.
func Replace(h http.Header, key, presented string, where KeyHeader) {
	for _, name := range []string{
		"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key", "X-Amz-Security-Token",
	} {
		h.Del(name)
	}
	keepItems(h, "Cookie", ";", func(cookie string) bool { return !identifies(cookie) })
	keepItems(h, "Sec-Websocket-Protocol", ",", func(protocol string) bool {
		return !strings.HasPrefix(protocol, socketKey) &&
			(presented == "" || !strings.Contains(protocol, presented))
	})
	if presented != "" {
		dropKey(h, presented)
	}
	switch where {
	case InAPIKey:
		h.Set("Api-Key", key)
	case InXAPIKey:
		h.Set("X-Api-Key", key)
	case InXGoogAPIKey:
		h.Set("X-Goog-Api-Key", key)
	default:
		h.Set("Authorization", "Bearer "+key)
	}
}

// keepItems keeps the items of lists in a header that keep accepts. Lists that lose none stay as
// sent.
func keepItems(h http.Header, name, separator string, keep func(item string) bool) {
	var kept []string
	for _, list := range h[name] {
		var items []string
		all := strings.Split(list, separator)
		for _, item := range all {
			if item = strings.TrimSpace(item); keep(item) {
				items = append(items, item)
			}
		}
		switch len(items) {
		case 0:
		case len(all):
			kept = append(kept, list)
		default:
			kept = append(kept, strings.Join(items, separator+" "))
		}
	}
	if h[name] = kept; len(kept) == 0 {
		delete(h, name)
	}
}

// dropKey removes header values that contain a key.
func dropKey(h http.Header, key string) {
	for name, values := range h {
		if h[name] = without(values, key); len(h[name]) == 0 {
			delete(h, name)
		}
	}
}

// QueryWithout returns a query without the parameters that contain a key.
func QueryWithout(raw, key string) string {
	return queryWithout(raw, func(param string) bool { return strings.Contains(param, key) })
}

// QueryWithoutKey returns a query without the parameter in which Google's API takes a key.
func QueryWithoutKey(raw string) string {
	return queryWithout(raw, func(param string) bool { return strings.HasPrefix(param, "key=") })
}

// queryWithout returns a query without the parameters that drop accepts, decoded. The others stay
// as sent.
func queryWithout(raw string, drop func(param string) bool) string {
	var kept []string
	for param := range strings.SplitSeq(raw, "&") {
		text, err := url.QueryUnescape(param)
		if err != nil {
			text = param
		}
		if !drop(text) {
			kept = append(kept, param)
		}
	}
	return strings.Join(kept, "&")
}
