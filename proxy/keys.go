package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"
)

// InboundKey lets a client in.
type InboundKey struct {
	Name   string            // what logs, metrics and isolation call it
	SHA256 [sha256.Size]byte // of the key itself, which need not be known here
	// Upstream is sent in its place. If empty, Options.APIKey is; without one the
	// key goes on as it came: the list then says which of the upstream's own keys
	// are let in.
	Upstream string
}

// LeastKey is the length, in bytes, that an inbound key has at least. A shorter
// one can be guessed, and might stand in a header by chance.
const LeastKey = 16

// keyring is the keys that are let in; empty lets everybody in.
type keyring []InboundKey

func (k keyring) on() bool { return len(k) > 0 }

func (k keyring) faults() (errs []error) {
	names, sums := map[string]bool{}, map[[sha256.Size]byte]bool{}
	for _, key := range k {
		switch {
		case key.Name == "" || printable(key.Name) != key.Name:
			errs = append(errs, fmt.Errorf("inbound keys: got the name %q, want printable ASCII", key.Name))
		case names[key.Name]:
			errs = append(errs, fmt.Errorf("inbound keys: two have the name %s", key.Name))
		case sums[key.SHA256]:
			errs = append(errs, fmt.Errorf("inbound keys: %s is the same key as another name", key.Name))
		case strings.ContainsAny(key.Upstream, "\r\n\x00"):
			errs = append(errs, fmt.Errorf("inbound keys: the upstream key of %s has a line break or a zero byte in it", key.Name))
		}
		names[key.Name], sums[key.SHA256] = true, true
	}
	return errs
}

// match returns the key with a hash, nil if there is none. It takes as long
// whichever it is, and whether there is one.
func (k keyring) match(sum [sha256.Size]byte) *InboundKey {
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

// mostPresented bounds how many credentials of one request are looked at.
const mostPresented = 4

var (
	errNoKey      = errors.New("no key presented")
	errUnknownKey = errors.New("unknown key")
)

// find returns the key that a request presents, and its text.
func (k keyring) find(r *http.Request) (key *InboundKey, text string, err error) {
	presented := presentedKeys(r.Header)
	if len(presented) == 0 {
		return nil, "", errNoKey
	}
	for _, text := range presented[:min(len(presented), mostPresented)] {
		if key := k.match(sha256.Sum256([]byte(text))); key != nil && len(text) >= LeastKey {
			return key, text, nil
		}
	}
	return nil, "", errUnknownKey
}

// socketKey begins the item of Sec-WebSocket-Protocol that browsers send a key
// in, which cannot set headers: developers.openai.com, "Realtime API with
// WebSocket".
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
	for _, v := range h["Sec-Websocket-Protocol"] {
		for item := range strings.SplitSeq(v, ",") {
			if key, ok := strings.CutPrefix(strings.TrimSpace(item), socketKey); ok {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// refusal401 is the fault of a request that presents no key that is let in. It
// says the same whatever was wrong with the key.
func (p *Proxy) refusal401(err error) *fault {
	reason, message := "unknown", "The API key is not one that Killick lets in."
	if errors.Is(err, errNoKey) {
		reason = "missing"
		message = "No API key was sent. Send one that Killick lets in, as Authorization: Bearer KEY (or api-key, x-api-key)."
	}
	p.metrics.unauthorized.with(reason).Inc()
	return &fault{status: http.StatusUnauthorized, kind: "invalid_api_key", message: message}
}

// unread readies a reply to a request whose body nobody reads: it does not wait
// for the body, and what still comes of it is read for a moment only.
func (w *reply) unread(r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	_ = w.ctl.EnableFullDuplex()
	_ = w.ctl.SetReadDeadline(deadlineOfRejected())
}

// admit looks for the key of an exchange and answers where there is none.
func (x *exchange) admit() (ok bool) {
	p := x.proxy
	if !p.keys.on() {
		return true
	}
	var err error
	if x.inbound, x.presented, err = p.keys.find(x.in); err != nil {
		x.reply.unread(x.in)
		x.fail(p.refusal401(err))
		return false
	}
	return true
}

// keyed lets nobody to our own paths who presents no key, where keys are asked
// for.
func (p *Proxy) keyed(c *gin.Context) {
	if !p.keys.on() {
		return
	}
	if _, _, err := p.keys.find(c.Request); err != nil {
		f := p.refusal401(err)
		c.Writer.Header().Set("WWW-Authenticate", "Bearer")
		writeError(c.Writer, f.status, f.message, f.errorType(), f.kind)
		c.Abort()
	}
}

// upstreamKey is what is sent in the place of the client's credential, "" for
// nothing.
func (x *exchange) upstreamKey() string {
	if x.inbound != nil && x.inbound.Upstream != "" {
		return x.inbound.Upstream
	}
	return x.proxy.opt.APIKey
}

// authorize puts the operator's key in the place of the client's credential. An
// inbound key that is replaced goes nowhere, wherever else the client wrote it.
func (x *exchange) authorize(h http.Header) {
	key := x.upstreamKey()
	if key == "" {
		return
	}
	_, bearer := h["Authorization"]
	_, apiKey := h["Api-Key"]
	for _, name := range []string{"Authorization", "Api-Key", "X-Api-Key"} {
		h.Del(name)
	}
	if x.presented != "" {
		dropKey(h, x.presented)
	}
	if azure(x.path) || apiKey && !bearer {
		h.Set("Api-Key", key)
	} else {
		h.Set("Authorization", "Bearer "+key)
	}
}

// dropKey takes a key out of headers that hold it, and with it what else their
// value says; of a list of WebSocket protocols the one item goes.
func dropKey(h http.Header, key string) {
	for name, values := range h {
		if name == "Sec-Websocket-Protocol" {
			h[name] = withoutItems(values, key)
		} else {
			h[name] = slicesWithout(values, key)
		}
		if len(h[name]) == 0 {
			delete(h, name)
		}
	}
}

func slicesWithout(values []string, key string) (kept []string) {
	for _, v := range values {
		if !strings.Contains(v, key) {
			kept = append(kept, v)
		}
	}
	return kept
}

func withoutItems(values []string, key string) (kept []string) {
	for _, v := range values {
		if !strings.Contains(v, key) {
			kept = append(kept, v)
			continue
		}
		if items := slicesWithout(strings.Split(v, ","), key); len(items) > 0 {
			kept = append(kept, strings.TrimSpace(strings.Join(items, ",")))
		}
	}
	return kept
}

// query returns the query to send upstream: the client's, without the parameters
// that hold an inbound key which is replaced.
func (x *exchange) query() string {
	raw := x.in.URL.RawQuery
	if x.presented == "" || x.upstreamKey() == "" || raw == "" {
		return raw
	}
	var kept []string
	for param := range strings.SplitSeq(raw, "&") {
		text, err := url.QueryUnescape(param)
		if err != nil {
			text = param
		}
		if !strings.Contains(text, x.presented) {
			kept = append(kept, param)
		}
	}
	return strings.Join(kept, "&")
}
