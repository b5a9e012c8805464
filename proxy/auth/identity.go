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
	"slices"
	"strings"
)

// The isolations. ByHeader is a prefix that the header's name follows.
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
	case !CanIdentify(name):
		return fmt.Errorf("isolation: got %q, a header with one value for many clients",
			isolation)
	}
	return nil
}

// CanIdentify reports whether clients may be isolated by a header. Headers that describe a message
// or a connection are the same for many clients, who would then share everything; some never reach
// a handler.
func CanIdentify(header string) bool { return !messageHeaders[http.CanonicalHeaderKey(header)] }

var messageHeaders = set("Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language",
	"Anthropic-Beta", "Anthropic-Version", "Connection", "Content-Encoding", "Content-Length",
	"Content-Type", "Expect", "Forwarded", "Host", "Keep-Alive", "Origin", "Proxy-Connection",
	"Referer", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "Via",
	"X-Forwarded-Host", "X-Forwarded-Proto")

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

// Of returns the keyed hash of the client of r. Two requests with the same hash may share what is
// learned, so everything that may distinguish two clients is in it, in fixed order.
func (i *Identity) Of(r *http.Request) string { return i.of(r, signer) }

// OfUnforwarded is Of for a request that we answer ourselves. A signature is not verified then, and
// its key id is not secret: so the whole signature is the identity, which finds nothing.
func (i *Identity) OfUnforwarded(r *http.Request) string {
	return i.of(r, func(credential string) string { return credential })
}

// of reads a credential of the header Authorization with read.
func (i *Identity) of(r *http.Request, read func(credential string) string) string {
	if i.isolation == ByInboundKey {
		// Requests without a key do not get here; if one did, the credential decides.
		if key, _, err := i.keys.Find(r); err == nil {
			return i.hash(ByInboundKey, key.Name)
		}
	}
	if i.header != "" {
		// Without a value the credential decides: clients that lack it must not share.
		values := strings.Join(r.Header[i.header], "\x00")
		if strings.Trim(values, "\x00") != "" {
			return i.hash("header", values)
		}
	}
	parts := []string{ByCredential}
	for _, name := range identifyingHeaders(r.Header) {
		values := r.Header[name]
		switch name {
		case "Authorization":
			values = slices.Clone(values)
			for i := range values {
				values[i] = read(values[i])
			}
		case "Cookie":
			values = cookies(values)
		}
		if len(values) > 0 {
			// No header value holds a zero byte.
			parts = append(parts, name, strings.Join(values, "\x00"))
		}
	}
	if text := query(r.URL.RawQuery); text != "" {
		parts = append(parts, "query", text)
	}
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		// By its key: a CA may give two clients the same name, and renews certificates.
		key := sha256.Sum256(r.TLS.PeerCertificates[0].RawSubjectPublicKeyInfo)
		parts = append(parts, "certificate", string(key[:]))
	}
	return i.hash(parts...)
}

// Named returns the hash of a named client: the name of an inbound key, or the value of the
// isolation's header. It is not ok if clients are identified by their credential, which has no
// name.
func (i *Identity) Named(name string) (who string, ok bool) {
	switch {
	case i.header != "":
		return i.hash("header", name), true
	case i.isolation == ByCredential:
		return "", false
	}
	return i.hash(ByInboundKey, name), true
}

// ProcessHash returns a hash with a random key of this process.
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
