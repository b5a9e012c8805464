package proxy

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"killick/chat"
)

const (
	// mostPeeked bounds what is read ahead of a reply; errors are a few hundred
	// bytes.
	mostPeeked = 64 << 10
	// longestPeek is how long the beginning of a reply is waited for before its
	// header goes to the client without it. An upstream that refuses a request
	// does so at once; one that thinks may send its header long before its answer.
	longestPeek = 2 * time.Second
)

// peek is the body of a reply whose beginning is read before any of it goes to
// the client, to learn whether the upstream refuses the request as too long. It
// gives every byte as it came, and is read by one goroutine.
type peek struct {
	io.ReadCloser
	done chan struct{} // closed when nothing is read ahead any more
	stop atomic.Bool   // the verdict is not waited for any more

	// Valid once done is closed.
	held    []byte
	err     error // that reading ahead ended with
	verdict *overflow
}

// newPeek begins to read ahead until look has seen enough.
func newPeek(body io.ReadCloser, look looker) *peek {
	p := &peek{ReadCloser: body, done: make(chan struct{})}
	go p.ahead(look)
	return p
}

func (p *peek) ahead(look looker) {
	defer close(p.done)
	defer func() {
		if recover() != nil { // a decoder's: the reply is forwarded all the same
			p.verdict = nil
		}
	}()
	defer look.end()
	buf := make([]byte, 4<<10)
	for more := true; more && p.err == nil && len(p.held) < mostPeeked && !p.stop.Load(); {
		var n int
		n, p.err = p.ReadCloser.Read(buf)
		p.held = append(p.held, buf[:n]...)
		more = look.feed(buf[:n])
	}
	look.end()
	if p.err == nil || p.err == io.EOF {
		p.verdict = look.verdict(p.held, p.err == io.EOF)
	}
}

// wait returns what the beginning says, nil if nothing or if it is not there in
// time.
func (p *peek) wait(r *http.Request) *overflow {
	timer := time.NewTimer(longestPeek)
	defer timer.Stop()
	select {
	case <-p.done:
		return p.verdict
	case <-timer.C:
	case <-r.Context().Done():
	}
	p.stop.Store(true)
	return nil
}

func (p *peek) Read(b []byte) (int, error) {
	<-p.done
	if len(p.held) > 0 {
		n := copy(b, p.held)
		if p.held = p.held[n:]; len(p.held) == 0 {
			p.held = nil
		}
		return n, nil
	}
	if p.err != nil {
		return 0, p.err
	}
	return p.ReadCloser.Read(b)
}

// looker judges the beginning of a reply.
type looker interface {
	feed(piece []byte) (more bool)
	end() // nothing more is fed; it may be called twice
	// verdict is asked once, after end; whole tells that all of the reply was read.
	verdict(raw []byte, whole bool) *overflow
}

// lookerFor returns how to look at a reply, nil where there is nothing to see.
func lookerFor(res *http.Response) looker {
	coding := contentEncoding(res.Header)
	if coding != "" && !decodable(coding) {
		return nil
	}
	switch media := res.Header.Get("Content-Type"); {
	case mayOverflow(res.StatusCode):
		return &wholeError{coding: coding, status: res.StatusCode}
	case res.StatusCode != http.StatusOK:
		return nil
	case isEventStream(media):
		return newFirstEvent(coding)
	case strings.Contains(strings.ToLower(media), "json") && res.ContentLength < mostPeeked:
		return newErrorInside(coding)
	}
	return nil
}

// wholeError reads an error's body to its end.
type wholeError struct {
	coding string
	status int
}

func (w *wholeError) feed([]byte) bool { return true }
func (w *wholeError) end()             {}

func (w *wholeError) verdict(raw []byte, whole bool) *overflow {
	if !whole {
		return nil // no error that anybody knows is this long
	}
	return overflowOf(w.status, unpacked(w.coding, raw))
}

// unpacked returns the text of a small body, what can be read of it.
func unpacked(coding string, raw []byte) []byte {
	if coding == "" {
		return raw
	}
	d, err := openDecoder(coding, bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	defer func() { _ = d.Close() }()
	text, _ := io.ReadAll(io.LimitReader(d, mostPeeked))
	return text
}

// firstEvent looks at the first event of a stream: some upstreams answer 200 and
// say there what is wrong. Comments before it are no events.
type firstEvent struct {
	events chat.EventReader
	unpack *unpacker // nil for what is not compressed
	seen   bool
	found  *overflow
}

func newFirstEvent(coding string) *firstEvent {
	f := new(firstEvent)
	if coding != "" {
		f.unpack = newUnpacker(coding, mostPeeked, f.text)
	}
	return f
}

func (f *firstEvent) text(b []byte) {
	if !f.seen {
		f.events.Feed(b, f.event)
	}
}

func (f *firstEvent) event(data []byte) {
	if f.seen {
		return
	}
	f.seen = true
	if saysError(data) {
		f.found = overflowOf(http.StatusBadRequest, data)
	}
}

func (f *firstEvent) feed(piece []byte) bool {
	if f.unpack == nil {
		f.text(piece)
		return !f.seen
	}
	return f.unpack.feed(piece) && !f.seen
}

func (f *firstEvent) end() {
	if f.unpack != nil {
		f.unpack.end()
	}
}

func (f *firstEvent) verdict([]byte, bool) *overflow { return f.found }

// saysError tells an event or a body that is an error from one that is a part of
// an answer.
func saysError(data []byte) bool {
	v := chat.Value(bytes.TrimSpace(data))
	if v.Kind() != chat.Object {
		return false
	}
	if e := v.Get("error").Kind(); e == chat.Object || e == chat.String {
		return true
	}
	return v.Get("object").Is("error") || v.Get("type").Is("error")
}

// errorInside looks at a 200 that is no stream: a few upstreams put an error into
// it. An answer is told from one by its first member.
type errorInside struct {
	coding string
	start  []byte
	unpack *unpacker
	answer bool // it is none
}

func newErrorInside(coding string) *errorInside {
	e := &errorInside{coding: coding}
	if coding != "" {
		e.unpack = newUnpacker(coding, mostPeeked, e.text)
	}
	return e
}

// errorStart is how a body begins that is an error, without white space.
const errorStart = `{"error":`

func (e *errorInside) text(b []byte) {
	for _, c := range b {
		if e.answer || len(e.start) == len(errorStart) {
			return
		}
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		e.start = append(e.start, c)
		e.answer = c != errorStart[len(e.start)-1]
	}
}

func (e *errorInside) feed(piece []byte) bool {
	if e.unpack == nil {
		e.text(piece)
		return !e.answer
	}
	return e.unpack.feed(piece) && !e.answer
}

func (e *errorInside) end() {
	if e.unpack != nil {
		e.unpack.end()
	}
}

func (e *errorInside) verdict(raw []byte, whole bool) *overflow {
	if e.answer || !whole || len(e.start) < len(errorStart) {
		return nil
	}
	text := unpacked(e.coding, raw)
	if !saysError(text) {
		return nil
	}
	return overflowOf(http.StatusBadRequest, text)
}
