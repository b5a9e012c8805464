package config

import (
	"net/url"
	"strings"
)

// validateCORS checks the origins in the words of the file. The proxy would
// refuse the same ones.
func (l *loader) validateCORS() {
	for i, origin := range l.CORS.Origins {
		u, err := url.Parse(origin)
		switch {
		case origin == "*" && l.CORS.Credentials:
			l.invalid("cors.credentials",
				`is not for any origin ("*"): every page could act for its visitor; `+
					`name the origins`)
		case origin == "*":
		case err != nil || u.Scheme == "" || u.Host == "" ||
			origin != u.Scheme+"://"+strings.ToLower(u.Host):
			l.invalid("cors.origins",
				"item %d, %s, is not an origin; write it as browsers do, https://app.example or "+
					"http://localhost:3000, or \"*\" for any", i+1, Quote(origin))
		}
	}
}
