// Package tap reads replies while they are forwarded: the usage that a reply reports, and
// whether it rejects the request as too long. It never changes, drops or stores a byte of a
// reply, and only delays a beginning that may be a rejection.
package tap

import (
	"net/http"
	"strings"

	"killick/chat"
	"killick/proxy/coding"
	"killick/proxy/events"
	"killick/proxy/format"
	"killick/proxy/frames"
)

// MaxDecoded bounds what is decoded of one compressed reply to find its usage.
const MaxDecoded = 32 << 20

// maxResponse bounds the event that ends a response. It repeats all of it, with its images.
const maxResponse = 8 << 20

// Tap reads the usage from a reply's bytes while they are forwarded. It never changes,
// delays or keeps them; an error in it only loses the usage. A nil Tap does nothing.
type Tap struct {
	text   func([]byte)   // takes the next piece of the reply's text
	decode *coding.Feeder // before that
	frames *coding.Feeder // after that, nil for what is not in Amazon's frames
	ended  bool
}

// Observer receives what a reply reports.
type Observer interface {
	// Usage is called with every usage that the reply reports. The last one is the total.
	Usage(chat.Usage)
	// WindowFull is called if the answer stopped because the model's window was full.
	WindowFull()
}

// reading is the state of reading one reply.
type reading struct {
	Observer
	format format.Format
	usage  format.Usage
}

// New returns a Tap for a reply of a format with these headers. It is nil for a reply that
// cannot be read.
func New(h http.Header, f format.Format, observer Observer) *Tap {
	r := &reading{Observer: observer, format: f, usage: format.NewUsage(f)}
	if r.usage == nil {
		return nil
	}
	t := new(Tap)
	if media := h.Get("Content-Type"); isMedia(media, frames.Media) {
		t.frames = frames.NewReader(func(event []byte, _ bool) { r.event(event) })
		t.text = func(b []byte) { t.frames.Feed(b) }
	} else {
		t.text = r.textTap(media)
	}
	name := coding.Of(h)
	if name != "" && !coding.Known(name) {
		return nil
	}
	t.decode = coding.NewFeeder(name, MaxDecoded, t.text)
	return t
}

func (r *reading) textTap(contentType string) func([]byte) {
	if isEventStream(contentType) {
		reader := new(events.Reader)
		if r.format == format.Responses {
			reader.MaxEvent = maxResponse
		}
		return func(b []byte) { reader.Feed(b, r.event) }
	}
	scan := &memberScanner{found: r.member, within: format.Within(r.format), level: 1}
	scan.list = isMedia(contentType, "application/x-ndjson") // a line for each object
	return scan.feed
}

// event reads an event, if it may state something that is looked for.
func (r *reading) event(data []byte) {
	if mentions(data) {
		r.member(data)
	}
}

// member reads an event, or an object of one member of a body, and reports whether that was
// the usage.
func (r *reading) member(data []byte) (usage bool) {
	if format.WindowFull(r.format, data) {
		r.WindowFull()
	}
	u, ok := r.usage(data)
	if ok {
		r.Usage(u)
	}
	return ok
}

func isEventStream(contentType string) bool { return isMedia(contentType, "text/event-stream") }

// isMedia reports whether a content type is a media type, with any parameters.
func isMedia(contentType, media string) bool {
	of, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(of), media)
}

// Feed takes the next bytes of the reply.
func (t *Tap) Feed(b []byte) {
	if t == nil || t.ended || len(b) == 0 {
		return
	}
	defer t.contain()
	if !t.decode.Feed(b) {
		t.End()
	}
}

// End ends the reply. It may be called more than once.
func (t *Tap) End() {
	if t == nil || t.ended {
		return
	}
	t.ended = true
	defer t.contain()
	t.decode.End()
	if t.frames != nil {
		t.frames.End()
	}
}

// contain keeps a decoder's panic from affecting the reply.
func (t *Tap) contain() {
	if recover() != nil {
		t.ended = true
	}
}
