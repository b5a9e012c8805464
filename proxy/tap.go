package proxy

import (
	"net/http"
	"strings"

	"killick/chat"
)

// usage is what a reply says that the request cost.
type usage = chat.Usage

// maxTapped bounds what is unpacked of one compressed reply to find its usage.
const maxTapped = 32 << 20

// tap reads the usage from a copy of a reply's bytes as they pass. It never
// changes, holds back or keeps them; whatever goes wrong in it costs the usage
// and nothing else. A nil tap does nothing.
type tap struct {
	text   func([]byte) // takes the next piece of the reply's text
	unpack *unpacker    // before that, nil for what is not compressed
	ended  bool
}

// newTap returns a tap for a reply with these headers; heard is called with
// every usage that it tells, the last one being the whole.
func newTap(h http.Header, heard func(usage)) *tap {
	t := &tap{text: textTap(h.Get("Content-Type"), heard)}
	if coding := contentEncoding(h); coding != "" {
		if !decodable(coding) {
			return nil
		}
		t.unpack = newUnpacker(coding, maxTapped, t.text)
	}
	return t
}

func textTap(contentType string, heard func(usage)) func([]byte) {
	if isEventStream(contentType) {
		events := new(chat.EventReader)
		each := func(data []byte) {
			if mentionsUsage(data) {
				if u, ok := chat.ParseUsage(data); ok {
					heard(u)
				}
			}
		}
		return func(b []byte) { events.Feed(b, each) }
	}
	scan := &usageScanner{heard: heard}
	return scan.feed
}

func isEventStream(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(media), "text/event-stream")
}

// feed takes the next bytes of the reply.
func (t *tap) feed(b []byte) {
	if t == nil || t.ended || len(b) == 0 {
		return
	}
	defer t.contain()
	if t.unpack == nil {
		t.text(b)
	} else if !t.unpack.feed(b) {
		t.end()
	}
}

// end tells that no more will come. It may be called more than once.
func (t *tap) end() {
	if t == nil || t.ended {
		return
	}
	t.ended = true
	defer t.contain()
	if t.unpack != nil {
		t.unpack.end()
	}
}

// contain keeps a panic of a decoder from the reply.
func (t *tap) contain() {
	if recover() != nil {
		t.ended = true
	}
}
