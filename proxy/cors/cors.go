// Package cors decides which web pages may call the proxy from a browser, and answers their
// preflight requests. It authenticates nobody: that is what keys are for.
package cors

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultMaxAge is the default of Policy.MaxAge.
const DefaultMaxAge = 10 * time.Minute

// Policy says which web pages may call the proxy from a browser. Without origins the upstream
// decides: preflights are forwarded to it, and its headers to the client. With origins only the
// Policy decides: preflights are answered here, and the upstream's CORS headers are dropped.
type Policy struct {
	// Origins are compared as browsers send them, such as https://app.example or
	// http://localhost:3000. "*" is any.
	Origins []string
	// Credentials lets pages send cookies and client certificates. An Authorization header that a
	// page sets itself does not need it. It is invalid with the origin "*".
	Credentials bool
	// MaxAge is how long a browser may cache the answer to a preflight. If zero, DefaultMaxAge.
	MaxAge time.Duration
}

const anyOrigin = "*"

// Enabled reports whether CORS is handled here and not by the upstream.
func (c *Policy) Enabled() bool { return len(c.Origins) > 0 }

// Faults returns the errors of the settings.
func (c *Policy) Faults() (errs []error) {
	for _, origin := range c.Origins {
		if origin == anyOrigin {
			if c.Credentials {
				errs = append(errs, errors.New(`cors: credentials with the origin "*" `+
					`would let any page act for its visitor; name the origins`))
			}
			continue
		}
		u, err := url.Parse(origin)
		if err != nil || u.Scheme == "" || u.Host == "" ||
			origin != u.Scheme+"://"+strings.ToLower(u.Host) {
			errs = append(errs, fmt.Errorf("cors: got the origin %q, want a scheme and "+
				"a lower-case host as in https://app.example, or *", origin))
		}
	}
	return errs
}

// allowed returns the allowed origin for a request, "" for none.
func (c *Policy) allowed(origin string) string {
	switch {
	case origin == "":
		return ""
	case slices.Contains(c.Origins, anyOrigin):
		return anyOrigin
	case slices.Contains(c.Origins, origin):
		return origin
	}
	return ""
}

// Preflight reports whether a request is a CORS preflight. Any other OPTIONS request is answered by
// the upstream.
func Preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" &&
		r.Header.Get("Access-Control-Request-Method") != ""
}

// Allow sets the headers of the answer to a preflight, and reports whether the page's
// origin is allowed. Methods and headers are not restricted: what the page asks for is allowed
// if its origin is.
func (c *Policy) Allow(h http.Header, r *http.Request) bool {
	h["Vary"] = []string{"Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}
	origin := c.allowed(r.Header.Get("Origin"))
	if origin == "" {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	if c.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Allow-Methods", printable(r.Header.Get("Access-Control-Request-Method")))
	if asked := r.Header["Access-Control-Request-Headers"]; len(asked) > 0 {
		h.Set("Access-Control-Allow-Headers", printable(strings.Join(asked, ", ")))
	}
	age := c.MaxAge
	if age <= 0 {
		age = DefaultMaxAge
	}
	h.Set("Access-Control-Max-Age", strconv.Itoa(int(age/time.Second)))
	return true
}

// Mark adds the permission to a reply: pages of the origin may read it, including its headers.
func (c *Policy) Mark(h http.Header, origin string) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			delete(h, name)
		}
	}
	allowed := c.allowed(origin)
	if allowed != anyOrigin {
		h.Add("Vary", "Origin")
	}
	if allowed == "" {
		return
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(h)),
		func(name string) bool { return name == "Set-Cookie" })
	h.Set("Access-Control-Expose-Headers", strings.Join(names, ", "))
	h.Set("Access-Control-Allow-Origin", allowed)
	if c.Credentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

// printable returns s without characters that are invalid in a header value.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}
