package load

import (
	"net/url"
	"strings"

	"killick/internal/fields"
)

// validateCORS checks the origins with messages that name the keys of the file.
// The proxy rejects the same ones.
func (l *loader) validateCORS() {
	for i, origin := range l.CORS.Origins {
		u, err := url.Parse(origin)
		switch {
		case origin == "*" && l.CORS.Credentials:
			l.Invalid("cors.credentials",
				`cannot be combined with any origin ("*"): every page could act for its `+
					`visitor; list the origins`)
		case origin == "*":
		case err != nil || u.Scheme == "" || u.Host == "" ||
			origin != u.Scheme+"://"+strings.ToLower(u.Host):
			l.Invalid("cors.origins",
				"item %d, %s, is not an origin; write it as browsers send it, https://app.example "+
					"or http://localhost:3000, or \"*\" for any", i+1, fields.Quote(origin))
		}
	}
}
