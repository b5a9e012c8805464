// Package target determines where a request goes: the path, the URL and the transport of an
// upstream. It reads no body, and never lets a client choose the host.
package target

import (
	"net/http"
	"net/url"
	"strings"
)

// Base maps clients' paths to the upstream's.
//
// It works on paths as sent. A path that was decoded, cleaned or redirected would no longer
// be the one that the upstream receives: model names contain encoded slashes, and extra or
// missing slashes are left to the upstream.
type Base struct {
	scheme, host string
	base         string // escaped, without a slash at its end
	query        string
}

// NewBase returns the Base of an upstream with this base URL.
func NewBase(upstream *url.URL) Base {
	return Base{
		scheme: upstream.Scheme,
		host:   upstream.Host,
		base:   strings.TrimRight(upstream.EscapedPath(), "/"),
		query:  upstream.RawQuery,
	}
}

// bareRoots are the first segments of the API's paths, for clients whose base
// URL has no /v1.
var bareRoots = map[string]bool{
	"assistants": true, "audio": true, "batches": true, "chat": true,
	"completions": true, "containers": true, "conversations": true,
	"edits": true, "embeddings": true, "engines": true, "evals": true,
	"files": true, "fine-tunes": true, "fine_tuning": true, "images": true, "messages": true,
	"models": true, "moderations": true, "organization": true, "realtime": true,
	"rerank": true, "responses": true, "threads": true, "uploads": true,
	"vector_stores": true, "videos": true,
}

// Path returns the path at the upstream for a path that a client asks for.
func (b *Base) Path(path string) string {
	switch {
	case path == "/v1" || strings.HasPrefix(path, "/v1/"):
		path = b.base + path[len("/v1"):]
	case bare(path):
		path = b.base + path
	}
	if path == "" {
		return "/"
	}
	return path
}

func bare(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return bareRoots[first]
}

// Azure reports whether a path with its query is one of Azure's with a version, where a key is only
// accepted in a separate header. A bearer token is one of Entra there.
func Azure(path, query string) bool {
	return strings.HasPrefix(path, "/openai/deployments/") ||
		strings.HasPrefix(path, "/openai/") && strings.Contains("&"+query, "&api-version=")
}

// URL returns the URL at the upstream.
func (b *Base) URL(path, query string, forceQuery bool) *url.URL {
	u := &url.URL{
		Scheme: b.scheme, Host: b.host, RawPath: path, RawQuery: query, ForceQuery: forceQuery,
	}
	switch {
	case b.query != "" && query != "":
		u.RawQuery = b.query + "&" + query
	case b.query != "":
		u.RawQuery, u.ForceQuery = b.query, false
	}
	var err error
	if u.Path, err = url.PathUnescape(path); err != nil || u.EscapedPath() != path {
		// net/url would encode it differently, such as %22 for a bare quote.
		u.Opaque = path
		if strings.HasPrefix(path, "//") {
			u.Opaque = "//" + b.host + path
		}
	}
	return u
}

// RawPath returns the path as sent.
func RawPath(r *http.Request) string {
	uri, _, _ := strings.Cut(r.RequestURI, "?")
	switch {
	case uri == "":
		return r.URL.EscapedPath() // not from a server
	case uri[0] == '/' || uri == "*":
		return uri
	}
	// The absolute form. Its authority is ignored: the operator chooses the upstream.
	_, rest, _ := strings.Cut(uri, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}
