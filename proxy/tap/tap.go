// Package tap reads replies while they pass to the client: the usage that a reply
// states, and whether its beginning is a refusal of a request that is too long. It never
// changes, drops or stores a byte of a reply, and delays only a beginning that may be a
// refusal.
package tap

import (
	"net/http"
	"strings"

	"killick/chat"
	"killick/proxy/coding"
	"killick/proxy/format"
)

// MaxDecoded bounds what is decoded of one compressed reply to find its usage.
const MaxDecoded = 32 << 20

// Tap reads the usage from a copy of a reply's bytes as they pass. It never changes,
// holds back or keeps them; whatever goes wrong in it costs the usage and nothing else.
// A nil Tap does nothing.
type Tap struct {
	text   func([]byte)   // takes the next piece of the reply's text
	decode *coding.Feeder // before that, nil for what is not compressed
	ended  bool
}

// New returns a Tap for a reply of a format with these headers; observed is called with every
// usage that the reply states, of which the last one is the whole. It is nil for a reply that
// cannot be read.
func New(h http.Header, f format.Format, observed func(chat.Usage)) *Tap {
	usage := format.NewUsage(f)
	if usage == nil {
		return nil
	}
	t := &Tap{text: textTap(h.Get("Content-Type"), usage, observed)}
	if name := coding.Of(h); name != "" {
		if !coding.Known(name) {
			return nil
		}
		t.decode = coding.NewFeeder(name, MaxDecoded, t.text)
	}
	return t
}

func textTap(
	contentType string, usage format.Usage, observed func(chat.Usage),
) func([]byte) {
	if isEventStream(contentType) {
		events := new(chat.EventReader)
		each := func(data []byte) {
			if mentionsUsage(data) {
				if u, ok := usage(data); ok {
					observed(u)
				}
			}
		}
		return func(b []byte) { events.Feed(b, each) }
	}
	scan := &usageScanner{usage: usage, observed: observed}
	return scan.feed
}

func isEventStream(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(media), "text/event-stream")
}

// Feed takes the next bytes of the reply.
func (t *Tap) Feed(b []byte) {
	if t == nil || t.ended || len(b) == 0 {
		return
	}
	defer t.contain()
	if t.decode == nil {
		t.text(b)
	} else if !t.decode.Feed(b) {
		t.End()
	}
}

// End says that no more will come. It may be called more than once.
func (t *Tap) End() {
	if t == nil || t.ended {
		return
	}
	t.ended = true
	defer t.contain()
	if t.decode != nil {
		t.decode.End()
	}
}

// contain keeps a panic of a decoder from the reply.
func (t *Tap) contain() {
	if recover() != nil {
		t.ended = true
	}
}
