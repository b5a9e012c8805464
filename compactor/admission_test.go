package compactor

import (
	"bytes"
	"context"
	"errors"
	"slices"
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
	out := e.Compact(&endsWhileWaiting{Context: t.Context()}, parse(t, in), "ann")
	if !bytes.Equal(out.Body, in) || len(out.FailOpens) != 1 ||
		out.FailOpens[0].Reason != "compaction_busy" ||
		!errors.Is(out.FailOpens[0].Err, context.DeadlineExceeded) {
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
type endsWhileWaiting struct {
	context.Context
	ended bool
}

func (e *endsWhileWaiting) Done() <-chan struct{} {
	ended := make(chan struct{})
	close(ended)
	e.ended = true
	return ended
}

func (e *endsWhileWaiting) Err() error {
	if e.ended {
		return context.DeadlineExceeded
	}
	return nil
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
	cut := e.Compact(&stopping{t.Context(), len(msgs) + 40}, parse(t, in), "ann")
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

// countingOf is a Counter that calls a function with each message that it counts.
type countingOf struct {
	byteCounter
	counted func(*view.Message)
}

func (c *countingOf) Message(m *view.Message) int {
	c.counted(m)
	return c.byteCounter.Message(m)
}

// A deadline that passes while messages are counted, or a client that leaves then, ends the work:
// no more messages are counted, the store is not asked, nothing is made. The next turn counts the
// rest.
func TestNothingIsBegunAfterADeadline(t *testing.T) {
	in := body(session(5, 200))
	ctx, cancel := context.WithCancel(t.Context())
	var counted []string
	const before = 50
	count := &countingOf{counted: func(m *view.Message) {
		if counted = append(counted, string(m.Raw)); len(counted) == before {
			cancel()
		}
	}}
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
	if len(counted) != before {
		t.Errorf("%d messages were counted, want %d", len(counted), before)
	}
	store.failing = nil
	if out = compact(t.Context()); !out.Folded || len(out.FailOpens) > 0 {
		t.Errorf("then: %s, faults %v; want a fold", out.Reason, out.FailOpens)
	}
	if last := counted[before-1]; slices.Contains(counted[before:], last) {
		t.Errorf("the next turn counts %s again", last)
	}
}
