package load

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"killick/internal/config"
	"killick/internal/fields"
)

func (l *loader) validateListeners() {
	l.validateAddress("listen", l.Listen)
	if l.Admin.Listen == "" {
		return
	}
	l.validateAddress("admin.listen", l.Admin.Listen)
	if host, _, err := net.SplitHostPort(l.Admin.Listen); err == nil && !config.IsLoopback(host) &&
		l.Admin.Token == "" {
		l.Fail("admin.token", l.OriginOf("admin.listen"),
			"admin.listen is %s, open to the network, and the admin API would be "+
				"unauthenticated; set admin.token (KILLICK_ADMIN_TOKEN), or listen on 127.0.0.1",
			fields.Quote(l.Admin.Listen))
	}
	if l.Listen == l.Admin.Listen && !strings.HasSuffix(l.Listen, ":0") {
		at := l.OriginOf("admin.listen")
		if at == (fields.Origin{}) {
			at = l.OriginOf("listen")
		}
		l.Fail("admin.listen", at, "%s is the address of listen too; give them different ports",
			l.Listen)
	}
}

func (l *loader) validateAddress(path, addr string) {
	host, port, err := net.SplitHostPort(addr)
	if scheme := strings.Contains(addr, "://"); err != nil || scheme {
		hint := "127.0.0.1:8080 or :8080"
		switch n, err := strconv.ParseUint(addr, 10, 16); {
		case err == nil:
			hint = fmt.Sprintf("127.0.0.1:%d or :%d", n, n)
		case errors.Is(err, strconv.ErrRange): // no host either
		case scheme:
			hint += ", without a scheme"
		case strings.Count(addr, ":") > 1:
			hint = "[::1]:8080, in quotes in a file"
		case config.IsToken(addr) && len(addr) < 64:
			hint = addr + ":8080"
		}
		l.Invalid(path, "%s is not an address to listen on; write host:port, such as %s",
			fields.Quote(addr), hint)
		return
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil {
		l.Invalid(path, "%s has no valid port; write a number from 0 to 65535", fields.Quote(addr))
	} else if n == 0 {
		l.Warn(path, "port 0 takes any free port; the log says which")
	}
	if strings.ContainsAny(host, "/ ") {
		l.Invalid(path, "%s is not a host; write a name or an IP address before the port",
			fields.Quote(host))
	}
}

// exampleBase is an example of a base URL, for messages.
const exampleBase = "https://api.openai.com/v1"

// validateURL checks the base URL of an API.
func (l *loader) validateURL(path, text string, required bool) {
	if text == "" {
		if required {
			l.Invalid(path, "is empty; write the base URL of the API, such as "+exampleBase)
		}
		return
	}
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, " "): // which would become part of every path
		l.Invalid(path, "contains a space; delete it")
	case err != nil:
		// The parser's message quotes the URL, which may contain a password.
		l.Invalid(path, "is not a URL; write the base URL of the API, such as "+exampleBase)
	case u.Scheme != "http" && u.Scheme != "https":
		l.Invalid(path, "must be a URL that begins with http:// or https://, such as "+exampleBase)
	case u.Hostname() == "":
		l.Invalid(path, "%s names no host", fields.Quote(text))
	case !config.ValidPort(u):
		l.Invalid(path, "has an invalid port; write a number from 1 to 65535")
	case u.User != nil:
		l.Invalid(path, "contains credentials; move them to %s (or leave it empty to forward the "+
			"client's own)", sibling(path, "api_key"))
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		l.Invalid(path, "must have no query and no fragment; clients send those themselves")
	case callSuffix(u) != "":
		l.Invalid(path, "%s is the address of one call; write the base before %s",
			fields.Quote(text), callSuffix(u))
	case strings.Trim(u.Path, "/") == "" && !strings.HasPrefix(u.Hostname(), "bedrock-runtime."):
		l.Warn(path, "%s has no path, so /v1/models goes to %s/models; most APIs want a base "+
			"that ends in /v1", text, strings.TrimSuffix(text, "/"))
	}
}

// callSuffix returns the path of the call that a URL ends with, "" if it is a base URL.
func callSuffix(u *url.URL) string {
	for _, call := range []string{"/chat/completions", "/messages", "/responses"} {
		if strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), call) {
			return call
		}
	}
	return ""
}

// sibling returns the path of another key of the same section.
func sibling(path, key string) string { return path[:strings.LastIndexByte(path, '.')+1] + key }

// validateUpstream rejects an upstream, of the section at, that is the proxy itself.
func (l *loader) validateUpstream(at string, up *config.Upstream) {
	host, port, err := net.SplitHostPort(l.Listen)
	if err != nil || l.Faulty(at+".base_url") {
		return
	}
	u, err := url.Parse(up.BaseURL)
	if err != nil {
		return
	}
	upPort := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	here := config.IsLoopback(u.Hostname()) &&
		(host == "" || config.IsLoopback(host) || config.IsAnyAddress(host))
	if port != "0" && port == upPort && (here || host != "" && host == u.Hostname()) {
		l.Invalid(at+".base_url",
			"%s is where the proxy itself listens (%s); it would call itself endlessly",
			fields.Quote(up.BaseURL), l.Listen)
	}
}

// validateExposure warns if the key of an upstream is exposed to a network.
func (l *loader) validateExposure() {
	host, _, err := net.SplitHostPort(l.Listen)
	if err != nil {
		return
	}
	if key := l.anyAPIKey(); key != "" && !config.IsLoopback(host) && len(l.Auth.Keys) == 0 &&
		l.TLS.ClientCAFile == "" {
		l.Warn("listen", "%s is open to the network: anyone who reaches it spends %s, and all who "+
			"send no credential count as one client; require inbound keys (auth.keys), listen on "+
			"127.0.0.1 or leave the key to the clients",
			l.Listen, key)
	}
}

// anyAPIKey returns the path of an upstream's key that is set, "" if none is.
func (l *loader) anyAPIKey() string {
	for _, u := range l.AllUpstreams() {
		if u.APIKey != "" {
			return u.Path + ".api_key"
		}
	}
	return ""
}
