package compactor

import (
	"context"
	"testing"
	"time"

	"killick/compactor/checkpoint"
	"killick/compactor/report"
	"killick/view"
)

// lateStore finds no form, as if another process stored its own between look-up and write.
type lateStore struct{ *memStore }

func (s lateStore) Conversation(
	who string,
	msgs []view.Message,
	memory *view.Memory,
) checkpoint.Conversation {
	return lateConversation{s.memStore.Conversation(who, msgs, memory).(*memConversation)}
}

type lateConversation struct{ *memConversation }

func (lateConversation) Longest(context.Context, int) ([]byte, int, bool, error) {
	return nil, 0, false, nil
}

// A request whose form another process stored first is sent in that one, which is not new.
func TestFormOfAnotherProcessIsNotNew(t *testing.T) {
	in := body(session(3, 60))
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	e, store := folding(now, nil)
	first := e.Compact(t.Context(), parse(t, in), "ann")

	lost, won := 0, 0
	late, _ := folding(now.Add(time.Minute), func(*report.Report) { lost++ })
	late.store = lateStore{store}
	second := late.Compact(t.Context(), parse(t, in), "ann")
	if first.Reused || !first.Folded {
		t.Fatalf("the first request: %+v", first)
	}
	if !second.Reused || !second.Folded || string(second.Body) != string(first.Body) {
		t.Errorf("the second request: %+v", second)
	}
	alone, _ := folding(now, func(*report.Report) { won++ })
	alone.Compact(t.Context(), parse(t, in), "ann")
	if lost != won-1 {
		t.Errorf("%d forms are reported, want all %d but the last", lost, won)
	}
}
