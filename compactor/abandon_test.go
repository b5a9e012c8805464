package compactor

import (
	"context"
	"testing"

	"killick/compactor/prepare"
)

// What was being prepared of a conversation that is deleted is not stored afterwards.
func TestAbandonedIsNotStored(t *testing.T) {
	b := newBench(t, writingPolicy, prepare.Options{})
	store := b.writing.Store.(*memStore)
	begun := make(chan struct{}, 100)
	author := faithful()
	author.write = func(ctx context.Context, turns prepare.Turns) (prepare.Written, error) {
		begun <- struct{}{}
		<-ctx.Done() // and yet it answers
		return prepare.Written{Statements: trueStatements(turns)}, nil
	}
	msgs := session(7, 60)
	for n := 1; n <= len(msgs); n++ {
		res := b.CompactFor(t.Context(), parse(t, body(msgs[:n])), "ann", by(author))
		if res.After == nil {
			continue
		}
		res.After(true)
		<-begun
		if err := b.Abandon(t.Context(), func(who, _ string) bool {
			return who == "ann"
		}); err != nil {
			t.Fatal(err)
		}
		if b.Preparing() > 0 || len(store.values) > 0 {
			t.Errorf("%d jobs are left, %d values were stored", b.Preparing(), len(store.values))
		}
		if got := b.outcomes(); len(got) != 1 || got[0] != prepare.Cancelled {
			t.Errorf("outcomes %v", got)
		}
		return
	}
	t.Fatal("nothing was prepared")
}
