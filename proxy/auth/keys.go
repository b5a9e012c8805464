// Package auth identifies clients: which inbound key admits a client, which hash isolates
// what is learned about it, and which credential replaces its own upstream. It answers no
// request and never logs, returns or quotes a key.
package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Key is an inbound key.
type Key struct {
	Name   string            // its name in logs, metrics and isolation
	SHA256 [sha256.Size]byte // of the key itself, which need not be known here
	// Upstream replaces it. If empty, the proxy's own key does; without one the key is
	// forwarded: the list then says which of the upstream's keys are admitted.
	Upstream string
	// Upstreams are the same by the name of the upstream, if there are several.
	Upstreams map[string]string
}

// MinKeyBytes is the minimum length of an inbound key. A shorter one can be guessed, and
// might occur in a header by chance.
const MinKeyBytes = 16

// Keys are the valid inbound keys; if empty, no key is required.
type Keys []Key

// Required reports whether clients need a key.
func (k Keys) Required() bool { return len(k) > 0 }

// Faults returns the errors of the keys.
func (k Keys) Faults() (errs []error) {
	names, sums := map[string]bool{}, map[[sha256.Size]byte]bool{}
	for _, key := range k {
		switch {
		case key.Name == "" || !printable(key.Name):
			errs = append(errs,
				fmt.Errorf("inbound keys: got the name %q, want printable ASCII", key.Name))
		case names[key.Name]:
			errs = append(errs, fmt.Errorf("inbound keys: two have the name %s", key.Name))
		case sums[key.SHA256]:
			errs = append(errs,
				fmt.Errorf("inbound keys: %s is the same key as another name", key.Name))
		case strings.ContainsAny(key.Upstream, "\r\n\x00"):
			errs = append(errs, fmt.Errorf(
				"inbound keys: the upstream key of %s has a line break or a zero byte in it",
				key.Name))
		}
		for name, upstream := range key.Upstreams {
			if strings.ContainsAny(upstream, "\r\n\x00") {
				errs = append(errs, fmt.Errorf("inbound keys: the key of %s for the upstream %s "+
					"has a line break or a zero byte in it", key.Name, name))
			}
		}
		names[key.Name], sums[key.SHA256] = true, true
	}
	return errs
}

func printable(s string) bool {
	for _, r := range s {
		if r < ' ' || r > '~' {
			return false
		}
	}
	return true
}

// match returns the key with a hash, nil if there is none, in constant time.
func (k Keys) match(sum [sha256.Size]byte) *Key {
	found := 0 // the index and one
	for i := range k {
		same := subtle.ConstantTimeCompare(sum[:], k[i].SHA256[:])
		found = subtle.ConstantTimeSelect(same, i+1, found)
	}
	if found == 0 {
		return nil
	}
	return &k[found-1]
}

// maxPresented bounds how many credentials of a request are checked.
const maxPresented = 4

// Why a client is rejected.
var (
	ErrNoKey      = errors.New("no key presented")
	ErrUnknownKey = errors.New("unknown key")
)

// Find returns the key that a request presents, and its text.
func (k Keys) Find(r *http.Request) (key *Key, text string, err error) {
	presented := presentedKeys(r.Header)
	if len(presented) == 0 {
		return nil, "", ErrNoKey
	}
	for _, text := range presented[:min(len(presented), maxPresented)] {
		key := k.match(sha256.Sum256([]byte(text)))
		if key != nil && len(text) >= MinKeyBytes {
			return key, text, nil
		}
	}
	return nil, "", ErrUnknownKey
}

// socketKey begins the item of Sec-WebSocket-Protocol in which browsers, which cannot set
// headers, send a key: developers.openai.com, "Realtime API with WebSocket".
const socketKey = "openai-insecure-api-key."

// presentedKeys returns what may be a key, the likeliest first.
func presentedKeys(h http.Header) (keys []string) {
	for _, v := range h["Authorization"] {
		if scheme, key, ok := strings.Cut(v, " "); ok && strings.EqualFold(scheme, "Bearer") {
			keys = append(keys, strings.TrimSpace(key))
		}
	}
	keys = append(keys, h["Api-Key"]...)
	keys = append(keys, h["X-Api-Key"]...)
	keys = append(keys, h["X-Goog-Api-Key"]...)
	for _, v := range h["Sec-Websocket-Protocol"] {
		for item := range strings.SplitSeq(v, ",") {
			if key, ok := strings.CutPrefix(strings.TrimSpace(item), socketKey); ok {
				keys = append(keys, key)
			}
		}
	}
	return keys
}
