package compactor

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/layout"
	"killick/view"
)

// While as many requests decide as may, another one waits; where its time is up first it is sent as
// received, which is counted, and the next one is served again.
func TestDecisionsAtOnceAreBounded(t *testing.T) {
	msgs := session(3, 60)
	e := New(Options{Policy: small, Counter: byBytes, Store: newMemStore(), MaxDeciding: 1})
	e.slots <- struct{}{}
	in := body(msgs)
	out := e.Compact(endsWhileWaiting{t.Context()}, parse(t, in), "ann")
	if !bytes.Equal(out.Body, in) || len(out.FailOpens) != 1 ||
		out.FailOpens[0].Reason != "compaction_busy" {
		t.Errorf("%d bytes of %d are sent, faults %v; want the original and that it was busy",
			len(out.Body), len(in), out.FailOpens)
	}
	<-e.slots
	for range 3 {
		if out := e.Compact(t.Context(), parse(t, in), "ann"); !out.Folded ||
			len(out.FailOpens) > 0 {
			t.Fatalf("%s, faults %v; want a fold", out.Reason, out.FailOpens)
		}
	}
}

// endsWhileWaiting is a context that ends as soon as somebody waits for its end.
type endsWhileWaiting struct{ context.Context }

func (endsWhileWaiting) Done() <-chan struct{} {
	ended := make(chan struct{})
	close(ended)
	return ended
}

// stopping is a context that ends once it was asked so often.
type stopping struct {
	context.Context
	left int
}

func (s *stopping) Err() error {
	if s.left--; s.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// What was made before a deadline is kept: the next turn continues from there, and ends in the same
// bytes.
func TestWhatWasMadeBeforeADeadlineIsKept(t *testing.T) {
	msgs := session(5, 200)
	in := body(msgs)
	want := New(Options{Policy: small, Counter: byBytes, Store: newMemStore()}).
		Compact(t.Context(), parse(t, in), "ann")
	e := New(Options{Policy: small, Counter: byBytes, Store: newMemStore()})
	cut := e.Compact(&stopping{t.Context(), 40}, parse(t, in), "ann")
	if len(cut.Decisions) == 0 || len(cut.Decisions) >= len(want.Decisions) {
		t.Fatalf("%d decisions before the deadline, %d without one: the test shows nothing",
			len(cut.Decisions), len(want.Decisions))
	}
	var parser view.Parser
	req, err := parser.Parse(chat.Format, "ann", in)
	if err != nil {
		t.Fatal(err)
	}
	rest := e.Compact(t.Context(), req, "ann")
	if !bytes.Equal(rest.Body, want.Body) {
		t.Error("the next turn ends in other bytes than without the deadline")
	}
	if n := len(cut.Decisions) + len(rest.Decisions); n > len(want.Decisions)+1 {
		t.Errorf("%d decisions in all, want the %d that it takes", n, len(want.Decisions))
	}
}

// countingUntil is a Counter that calls a function with each message that it counts.
type countingUntil struct {
	byteCounter
	counted func()
}

func (c *countingUntil) Message(m *view.Message) int {
	c.counted()
	return c.byteCounter.Message(m)
}

// A deadline that passes while messages are counted, or a client that leaves then, ends the work:
// neither is the store asked, nor anything made. The counts are remembered for the next turn.
func TestNothingIsBegunAfterADeadline(t *testing.T) {
	in := body(session(5, 200))
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	count := &countingUntil{counted: func() { n++; cancel() }}
	store := newMemStore()
	e := New(Options{Policy: policies()["truncating"], Store: store,
		Counter: func(string, string) layout.Counter { return count }})
	var parser view.Parser
	compact := func(ctx context.Context) compaction.Outcome {
		req, err := parser.Parse(chat.Format, "ann", in)
		if err != nil {
			t.Fatal(err)
		}
		return e.Compact(ctx, req, "ann")
	}

	store.failing = errors.New("it was asked")
	out := compact(ctx)
	if !bytes.Equal(out.Body, in) || out.Reason != compaction.ReasonFailedOpen ||
		len(out.FailOpens) != 1 || out.FailOpens[0].Reason != "deadline" {
		t.Errorf("%s, faults %v; want the original because of the deadline", out.Reason,
			out.FailOpens)
	}
	store.failing = nil
	before := n
	if out = compact(t.Context()); !out.Folded || len(out.FailOpens) > 0 {
		t.Errorf("then: %s, faults %v; want a fold", out.Reason, out.FailOpens)
	}
	messages := len(parse(t, in).Messages())
	if before < messages || n-before >= messages {
		t.Errorf("of %d messages %d were counted before the deadline, then %d", messages, before,
			n-before)
	}
}
