package expand

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// relay joins the rounds of a reply into one stream for the client, in one format.
type relay interface {
	// event takes the next event and appends what the client gets of it.
	event(dst []byte, e *event) []byte
	// ended reports whether the event was the last one of its round.
	ended() bool
	// round returns what the round has shown so far.
	round() *round
	// turn returns the model's turn as elements of a conversation. ok is false if it cannot be
	// reproduced exactly.
	turn() (elements []byte, ok bool)
	// next begins the next round: the rest of this one is dropped.
	next()
	// finish appends the end of the round, as the client gets it.
	finish(dst []byte) []byte
}

// round is the content of one reply of the upstream.
type round struct {
	calls  []call // of the tool, whole once the round has ended
	others int    // calls that the client is to answer
	proper bool   // it ended properly, with calls
}

// ending is the events that end a round, which are held until the round has ended. Its events are
// those of any upstream: one that never ends the round must not fill the memory.
type ending struct {
	events []event
	size   int
}

// add holds an event that stays valid. full means that no more should be held.
func (h *ending) add(e event) (full bool) {
	h.events = append(h.events, e)
	h.size += len(e.raw)
	return h.size > maxReply
}

// stream is the body of a reply that is a stream of events. It is read by one goroutine.
type stream struct {
	s     *Session
	ctx   context.Context
	src   io.ReadCloser
	split *splitter
	relay relay

	out  []byte // for the client
	sent int    // of out
	buf  [4 << 10]byte
	err  error // once all of out was read
	over bool  // the rest is passed through
}

func (b *stream) Read(p []byte) (int, error) {
	for b.sent == len(b.out) {
		if b.err != nil {
			return 0, b.err
		}
		b.out, b.sent = b.out[:0], 0
		b.fill()
	}
	n := copy(p, b.out[b.sent:])
	b.sent += n
	return n, nil
}

func (b *stream) Close() error { return b.src.Close() }

// fill reads once from the upstream.
func (b *stream) fill() {
	n, err := b.src.Read(b.buf[:])
	if b.over {
		b.out, b.err = append(b.out, b.buf[:n]...), err
		return
	}
	src := b.src
	each := func(e *event) {
		if b.src == src { // else another round has begun, and the rest of this one is ignored
			b.event(e)
		}
	}
	b.split.feed(b.buf[:n], each)
	switch {
	case b.src != src || b.err != nil || err == nil: // another round has begun, or none will
	case errors.Is(err, io.EOF):
		b.split.end(each)
		if b.src == src && !b.over && b.err == nil {
			b.endRound()
		}
		if b.src == src && b.err == nil {
			b.err = io.EOF
		}
	default: // the stream was cut off in the middle, and so does the client's
		b.err = err
	}
}

func (b *stream) event(e *event) {
	switch {
	case b.over:
		b.out = append(b.out, e.raw...)
		return
	case b.err != nil:
		return
	}
	b.out = b.relay.event(b.out, e)
	if b.relay.ended() {
		b.endRound()
	}
}

// endRound answers the calls of a round, or ends the client's stream.
func (b *stream) endRound() {
	r := b.relay.round()
	answer, why := b.s.due(len(r.calls), r.others, r.proper)
	var turn []byte
	if answer {
		if turn, answer = b.relay.turn(); !answer {
			why = Unfinished
		}
	}
	if !answer {
		b.s.report(len(r.calls), why)
		b.out, b.over = b.relay.finish(b.out), true
		return
	}
	results := b.s.answer(b.ctx, r.calls)
	drain(b.src)
	res, err := b.s.next(turn, appendResults(b.s.Format, results))
	switch {
	case err != nil:
		b.err = err
		return
	case res.StatusCode != http.StatusOK || !decoded(res) ||
		mediaType(res.Header) != "text/event-stream":
		_ = res.Body.Close()
		b.s.Report(UpstreamFailed)
		b.err = fmt.Errorf("going on behind an expanded text: status %d of type %q, want a stream",
			res.StatusCode, mediaType(res.Header))
		return
	}
	b.src, b.split = res.Body, new(splitter)
	b.relay.next()
}

// drainTime is how long to wait for the end of a stream after its last event.
const drainTime = time.Second

// drain reads a stream to its end, right after the last event, and closes it: so its connection is
// reused, and the upstream does not see a disconnect.
func drain(src io.ReadCloser) {
	if _, encoded := src.(*decoding); !encoded {
		timer := time.AfterFunc(drainTime, func() { _ = src.Close() })
		_, _ = io.Copy(io.Discard, io.LimitReader(src, maxReply))
		timer.Stop()
	}
	_ = src.Close()
}
