package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
)

// What tells clients apart. ByHeader is a prefix: the header's name follows it.
const (
	ByCredential = "credential"
	ByInboundKey = "inbound-key"
	ByHeader     = "header:"
)

// CheckIsolation returns what is wrong with an isolation, nil if nothing.
func CheckIsolation(isolation string, keys Keys) error {
	switch name, ok := strings.CutPrefix(isolation, ByHeader); {
	case isolation == ByCredential:
	case isolation == ByInboundKey:
		if !keys.Required() {
			return errors.New("isolation: by inbound key, and there are no inbound keys")
		}
	case !ok || name == "" || strings.ContainsAny(name, " \t:\r\n"):
		return fmt.Errorf("isolation: got %q, want credential, inbound-key or header:NAME",
			isolation)
	}
	return nil
}

// Identity computes who sent a request.
type Identity struct {
	isolation string
	header    string // canonical, of ByHeader
	keys      Keys
	hash      func(parts ...string) string
}

// NewIdentity returns an Identity of an isolation that [CheckIsolation] accepts. hash
// returns a keyed hash of its parts that says where one ends and the next begins.
func NewIdentity(isolation string, keys Keys, hash func(parts ...string) string) *Identity {
	i := &Identity{isolation: isolation, keys: keys, hash: hash}
	if name, ok := strings.CutPrefix(isolation, ByHeader); ok {
		i.header = textproto.CanonicalMIMEHeaderKey(name)
	}
	return i
}

// credentialHeaders are all that may say who a client is. Organisation and project belong
// to it: one key may act for several.
var credentialHeaders = []string{
	"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key", "Ocp-Apim-Subscription-Key",
	"Openai-Organization", "Openai-Project",
}

// credentialQueries are the query parameters that carry a credential.
var credentialQueries = []string{
	"key", "api-key", "api_key", "subscription-key", "access_token", "token",
}

// Of returns the keyed hash of the sender of r. Two requests with the same hash may share
// what is learnt, so everything that may tell two senders apart is in it, each at its
// place.
func (i *Identity) Of(r *http.Request) string {
	if i.isolation == ByInboundKey {
		// Nobody gets here without a key; if anybody did, the credential decides.
		if key, _, err := i.keys.Find(r); err == nil {
			return i.hash(ByInboundKey, key.Name)
		}
	}
	if i.header != "" {
		// Without the header the credential decides: clients that lack it must not share
		// with one another.
		if values := r.Header[i.header]; len(values) > 0 {
			return i.hash("header", strings.Join(values, "\x00"))
		}
	}
	parts := make([]string, 1, 1+len(credentialHeaders))
	parts[0] = ByCredential
	for _, name := range credentialHeaders {
		// No header value holds a zero byte.
		parts = append(parts, strings.Join(r.Header[name], "\x00"))
	}
	if r.URL.RawQuery != "" {
		query := r.URL.Query()
		for _, name := range credentialQueries {
			if values := query[name]; len(values) > 0 {
				parts = append(parts, name, strings.Join(values, "\x00"))
			}
		}
	}
	return i.hash(parts...)
}

// Named returns the hash of the client of a name: of an inbound key, or the value of the
// isolation's header. It is not ok where clients are told apart by their credential,
// which has no name.
func (i *Identity) Named(name string) (who string, ok bool) {
	switch {
	case i.header != "":
		return i.hash("header", name), true
	case i.isolation == ByCredential:
		return "", false
	}
	return i.hash(ByInboundKey, name), true
}

// ProcessHash returns a hash under a key that nobody else has.
func ProcessHash() func(parts ...string) string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: it crashes the program instead
	return func(parts ...string) string {
		h := hmac.New(sha256.New, key)
		var n [8]byte
		for _, part := range parts {
			binary.BigEndian.PutUint64(n[:], uint64(len(part)))
			h.Write(n[:])
			h.Write([]byte(part))
		}
		return hex.EncodeToString(h.Sum(nil))
	}
}
