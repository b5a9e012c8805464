package config

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"killick/internal/fields"
	"killick/proxy/auth"
)

// Auth says which clients are admitted.
type Auth struct {
	Keys map[string]InboundKey `yaml:"keys"` // by name; if empty, no authentication
}

// InboundKey is a key that clients present, and the key that replaces it upstream.
type InboundKey struct {
	Key         Secret `yaml:"key"`
	SHA256      string `yaml:"sha256"`       // of the key, in hexadecimal, instead of it
	UpstreamKey Secret `yaml:"upstream_key"` // if empty, upstream.api_key
	// replaces UpstreamKey, by the name of an entry of upstreams
	UpstreamKeys map[string]Secret `yaml:"upstream_keys"`
}

// sum returns the hash of the key; ok only if exactly one of Key and SHA256 is set.
func (k InboundKey) sum() (sum [sha256.Size]byte, ok bool) {
	if k.Key != "" {
		return sha256.Sum256([]byte(k.Key)), k.SHA256 == ""
	}
	n, err := hex.Decode(sum[:], []byte(k.SHA256[:min(len(k.SHA256), 2*len(sum))]))
	return sum, err == nil && n == len(sum) && len(k.SHA256) == 2*len(sum)
}

// InboundKeys returns the keys as the proxy knows them, in the order of their
// names.
func (a *Auth) InboundKeys() (keys []auth.Key) {
	for _, name := range slices.Sorted(maps.Keys(a.Keys)) {
		sum, _ := a.Keys[name].sum() // validated
		keys = append(keys, auth.Key{Name: name, SHA256: sum,
			Upstream: string(a.Keys[name].UpstreamKey), Upstreams: a.Keys[name].byUpstream()})
	}
	return keys
}

// byUpstream returns the keys by the name of the upstream, nil if there are none.
func (k InboundKey) byUpstream() (keys map[string]string) {
	for name, key := range k.UpstreamKeys {
		if keys == nil {
			keys = map[string]string{}
		}
		keys[name] = string(key)
	}
	return keys
}

// validateAuth checks the inbound keys, without showing any.
func (l *loader) validateAuth() {
	const least = auth.MinKeyBytes
	seen := map[[sha256.Size]byte]string{}
	for _, name := range slices.Sorted(maps.Keys(l.Auth.Keys)) {
		k, at := l.Auth.Keys[name], fields.Join("auth.keys", name)
		if !isToken(name) || len(name) > 64 {
			l.Invalid(
				at,
				"%s is not a valid name for a key; write letters, digits, - and _, such as team-a",
				fields.Quote(name),
			)
		}
		sum, ok := k.sum()
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

// headerValue rejects a key that a header cannot carry.
func (l *loader) headerValue(path, key string) {
	if strings.HasPrefix(strings.ToLower(key), "bearer ") {
		l.Invalid(path, `begins with "Bearer"; write the key alone`)
	} else if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		l.Invalid(path, "contains white space or a character that headers cannot carry")
	}
}
