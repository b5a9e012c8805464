package config

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

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

// Sum returns the hash of the key; ok only if exactly one of Key and SHA256 is set.
func (k InboundKey) Sum() (sum [sha256.Size]byte, ok bool) {
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
		sum, _ := a.Keys[name].Sum() // validated
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
