package tap

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	"killick/proxy/coding"
	"killick/proxy/events"
	"killick/proxy/format"
	"killick/proxy/frames"
	"killick/proxy/overflow"
)

// looker inspects the beginning of a reply.
type looker interface {
	feed(piece []byte) (more bool)
	maxAhead() int // bytes to read ahead
	end()          // nothing more is fed; it may be called twice
	// verdict is called once, after end; whole means that the whole reply was read.
	verdict(raw []byte, whole bool) *overflow.Refusal
}

// newLooker returns the looker for a reply, nil if there is nothing to inspect.
func newLooker(res *http.Response, f format.Format) looker {
	name := coding.Of(res.Header)
	if name != "" && !coding.Known(name) {
		return nil
	}
	switch media := res.Header.Get("Content-Type"); {
	case overflow.Possible(res.StatusCode):
		return &wholeError{coding: name, status: res.StatusCode}
	case res.StatusCode != http.StatusOK:
		return nil
	case isEventStream(media):
		return newFirstEvent(name, f)
	case isMedia(media, frames.Media):
		return newFirstFrame(name)
	case strings.Contains(strings.ToLower(media), "json") && res.ContentLength < maxPeeked:
		return newErrorInside(name)
	}
	return nil
}

// wholeError reads an error's body to its end.
type wholeError struct {
	coding string
	status int
}

func (w *wholeError) feed([]byte) bool { return true }
func (w *wholeError) maxAhead() int    { return maxPeeked }
func (w *wholeError) end()             {}

func (w *wholeError) verdict(raw []byte, whole bool) *overflow.Refusal {
	if !whole {
		return nil // no known error is this long
	}
	return overflow.Read(w.status, decoded(w.coding, raw))
}

// decoded returns the decoded text of a small body, as far as it can be read.
func decoded(name string, raw []byte) []byte {
	if name == "" {
		return raw
	}
	d, err := coding.Open(name, bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	text, _ := io.ReadAll(io.LimitReader(d, maxPeeked))
	return text
}

// firstEvent inspects the first event of a stream that shows how the request went: some
// upstreams answer 200 and report errors there. Comments before it are not events.
type firstEvent struct {
	format format.Format
	events events.Reader
	decode *coding.Feeder
	seen   bool
	found  *overflow.Refusal
}

func newFirstEvent(name string, of format.Format) *firstEvent {
	f := &firstEvent{format: of}
	f.decode = coding.NewFeeder(name, int64(f.maxAhead()), f.text)
	return f
}

// maxAhead implements [looker]: the first events of a response repeat what its request says before
// the messages.
func (f *firstEvent) maxAhead() int {
	if f.format == format.Responses {
		return maxInconclusive
	}
	return maxPeeked
}

func (f *firstEvent) text(b []byte) {
	if !f.seen {
		f.events.Feed(b, f.event)
	}
}

func (f *firstEvent) event(data []byte) {
	if f.seen || format.Inconclusive(f.format, data) {
		return
	}
	f.seen = true
	if overflow.IsError(data) {
		f.found = overflow.Read(http.StatusBadRequest, data)
	}
}

func (f *firstEvent) feed(piece []byte) bool { return f.decode.Feed(piece) && !f.seen }
func (f *firstEvent) end()                   { f.decode.End() }

func (f *firstEvent) verdict([]byte, bool) *overflow.Refusal { return f.found }

// firstFrame inspects the first event of a stream in Amazon's frames.
type firstFrame struct {
	decode, frames *coding.Feeder
	seen           bool
	found          *overflow.Refusal
}

func newFirstFrame(name string) *firstFrame {
	f := &firstFrame{}
	f.frames = frames.NewReader(f.event)
	f.decode = coding.NewFeeder(name, maxPeeked, func(b []byte) {
		if !f.frames.Feed(b) {
			f.seen = true
		}
	})
	return f
}

func (f *firstFrame) event(data []byte, failed bool) {
	if f.seen {
		return
	}
	f.seen = true
	if failed || overflow.IsError(data) {
		f.found = overflow.Read(http.StatusBadRequest, data)
	}
}

func (f *firstFrame) maxAhead() int          { return maxPeeked }
func (f *firstFrame) feed(piece []byte) bool { return f.decode.Feed(piece) && !f.seen }

func (f *firstFrame) end() {
	f.decode.End()
	f.frames.End()
}

func (f *firstFrame) verdict([]byte, bool) *overflow.Refusal { return f.found }

// errorInside inspects a reply with status 200 that is not a stream: a few upstreams report errors
// in it. An answer differs from an error in its first member.
type errorInside struct {
	coding string
	start  []byte
	decode *coding.Feeder
	answer bool // the reply is an answer, not an error
}

func newErrorInside(name string) *errorInside {
	e := &errorInside{coding: name}
	e.decode = coding.NewFeeder(name, maxPeeked, e.text)
	return e
}

// errorStarts are the beginnings of bodies that are errors, without white space: most providers',
// and Anthropic's.
var errorStarts = []string{`{"error":`, `{"type":"error"`}

func (e *errorInside) text(b []byte) {
	for _, c := range b {
		if e.answer || slices.Contains(errorStarts, string(e.start)) {
			return
		}
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		e.start = append(e.start, c)
		e.answer = !slices.ContainsFunc(errorStarts, func(start string) bool {
			return strings.HasPrefix(start, string(e.start))
		})
	}
}

func (e *errorInside) feed(piece []byte) bool { return e.decode.Feed(piece) && !e.answer }
func (e *errorInside) maxAhead() int          { return maxPeeked }
func (e *errorInside) end()                   { e.decode.End() }

func (e *errorInside) verdict(raw []byte, whole bool) *overflow.Refusal {
	if e.answer || !whole || !slices.Contains(errorStarts, string(e.start)) {
		return nil
	}
	text := decoded(e.coding, raw)
	if !overflow.IsError(text) {
		return nil
	}
	return overflow.Read(http.StatusBadRequest, text)
}

// maxPeeked bounds what is read ahead of a reply; errors are a few hundred
// bytes.
const maxPeeked = 64 << 10

// maxInconclusive is maxPeeked for streams whose first events repeat instructions and tools: twice
// before the first that shows how the request went.
const maxInconclusive = 4 << 20
