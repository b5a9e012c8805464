package load

import (
	"crypto/sha256"
	"maps"
	"slices"

	"killick/internal/config"
	"killick/internal/fields"
	"killick/proxy/auth"
)

const guessable = "has %d characters, which can be guessed; make it at least %d (openssl " +
	"rand -hex 24)"

// validateAuth checks the inbound keys, without showing any.
func (l *loader) validateAuth() {
	const least = auth.MinKeyBytes
	seen := map[[sha256.Size]byte]string{}
	for _, name := range slices.Sorted(maps.Keys(l.Auth.Keys)) {
		k, at := l.Auth.Keys[name], fields.Join("auth.keys", name)
		if !config.IsToken(name) || len(name) > 64 {
			l.Invalid(
				at,
				"%s is not a valid name for a key; write letters, digits, - and _, such as team-a",
				fields.Quote(name),
			)
		}
		sum, ok := k.Sum()
		switch {
		case l.Faulty(at+".key") || l.Faulty(at+".upstream_key"):
			continue
		case k.Key != "" && k.SHA256 != "":
			l.Invalid(at, "has both key and sha256; remove one of them")
			continue
		case k.Key == "" && k.SHA256 == "":
			l.Invalid(at, "has no key; write key: env:NAME, key: file:PATH, or sha256: and the "+
				"key's hash")
			continue
		case k.Key != "" && len(k.Key) < least:
			l.Invalid(at+".key", guessable, len(k.Key), least)
			continue
		case !ok:
			l.Invalid(at+".sha256",
				"must be 64 hexadecimal digits; printf %%s \"$KEY\" | sha256sum prints them")
			continue
		}
		if other := seen[sum]; other != "" {
			l.Invalid(at, "is the same key as %s; give each name its own", other)
		}
		seen[sum] = name
		l.headerValue(at+".key", string(k.Key))
		l.headerValue(at+".upstream_key", string(k.UpstreamKey))
		l.validateUpstreamKeys(at, &k)
		if problem := l.inboundKeySentTo(&k); problem != "" {
			l.Warn(at, "%s", problem)
		}
	}
	if l.Isolation.Inbound && len(l.Auth.Keys) == 0 {
		l.Invalid("isolation", "inbound-key needs inbound keys; set some under auth.keys, or "+
			"write credential or header:NAME here")
	}
}
