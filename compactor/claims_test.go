package compactor

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"killick/compactor/plan"
	"killick/compactor/prepare"
)

// claims are what several engines have taken on.
type claims struct {
	mu       sync.Mutex
	held     []string
	released int
}

func (c *claims) Claim(_ context.Context, work string, lasts time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if lasts <= 0 || slices.Contains(c.held, work) {
		return false
	}
	c.held = append(c.held, work)
	return true
}

func (c *claims) Release(work string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = slices.DeleteFunc(c.held, func(held string) bool { return held == work })
	c.released++
}

// claiming returns two engines that share their stores and claims.
func claiming(t *testing.T, c *claims) (a, b *bench) {
	a = newBench(t, writingPolicy, prepare.Options{Claims: c})
	b = newBench(t, writingPolicy, prepare.Options{Claims: c})
	b.store, b.writing.Store = a.store, a.writing.Store
	return a, b
}

// A model is asked once, though two processes see each turn of the conversation; both then use what
// it wrote.
func TestSummariesAreClaimedOnce(t *testing.T) {
	a, b := claiming(t, &claims{})
	written, withModel := 0, 0
	var meanwhile func() // while the first process writes
	writing, refused := faithful(), faithful()
	writing.write = func(_ context.Context, turns prepare.Turns) (prepare.Written, error) {
		meanwhile()
		written++
		return prepare.Written{Form: "structured", Statements: trueStatements(turns)}, nil
	}
	refused.write = func(context.Context, prepare.Turns) (prepare.Written, error) {
		t.Error("two processes ask")
		return prepare.Written{}, errors.New("asked twice")
	}
	msgs := session(7, 70)
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		one := a.CompactFor(t.Context(), parse(t, in), "ann", by(writing))
		two := b.CompactFor(t.Context(), parse(t, in), "ann", by(refused))
		if !bytes.Equal(one.Body, two.Body) {
			t.Errorf("turn %d: two forms", n)
		}
		if slices.Contains(one.Made, plan.FoldWithModel) {
			withModel++
		}
		meanwhile = sync.OnceFunc(func() {
			if two.After != nil {
				two.After(true)
				b.settle(t)
			}
		})
		if one.After != nil {
			one.After(true)
			a.settle(t)
		}
		meanwhile()
	})
	if written == 0 || withModel == 0 || !slices.Contains(b.outcomes(), prepare.Elsewhere) {
		t.Errorf("%d summaries, %d used; the other process reports %v", written, withModel,
			b.outcomes())
	}
}

// What failed in one process is asked for by another. What was judged is not.
func TestFailedSummariesAreReleased(t *testing.T) {
	for name, test := range map[string]struct {
		write    func(context.Context, prepare.Turns) (prepare.Written, error)
		released bool
	}{
		"no answer": {func(context.Context, prepare.Turns) (prepare.Written, error) {
			return prepare.Written{}, errors.New("no answer")
		}, true},
		"a panic": {func(context.Context, prepare.Turns) (prepare.Written, error) {
			panic("while writing")
		}, true},
		"nothing to say": {func(context.Context, prepare.Turns) (prepare.Written, error) {
			return prepare.Written{Form: "structured"}, nil
		}, false},
	} {
		held := &claims{}
		a, b := claiming(t, held)
		author := faithful()
		author.write = test.write
		msgs, asked := session(7, 100), false
		turns(t, msgs, func(n int) {
			if asked {
				return
			}
			in := body(msgs[:n])
			one := a.CompactFor(t.Context(), parse(t, in), "ann", by(author))
			if one.After == nil {
				return
			}
			one.After(true)
			a.settle(t)
			if asked = len(held.held)+held.released > 0; !asked {
				return
			}
			two := b.CompactFor(t.Context(), parse(t, in), "ann", by(faithful()))
			two.After(true)
			b.settle(t)
		})
		want := prepare.Elsewhere
		if test.released {
			want = prepare.Prepared
		}
		if got := b.outcomes(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: the other process reports %v, want %s", name, got, want)
		}
	}
}

// alike are processes that share a store.
type alike struct {
	*claims
	*memStore
}

func (a alike) LastSeen(_ context.Context, _, name string) ([]byte, error) {
	c := &memConversation{a.memStore, []string{"", name}}
	return c.LastSeen().Get(context.Background())
}

// The process that saw a conversation last keeps its cache alive, and of several that do not know
// of each other one does.
func TestCachesAreKeptByOneProcess(t *testing.T) {
	policy, store := small, newMemStore()
	policy.IdleAfter = time.Hour
	in := body(session(1, 20)[:21])
	at := &clock{now: time.Unix(1_700_000_000, 0)}
	shared := alike{&claims{}, store}
	engine := func() *Engine {
		return New(Options{Policy: policy, Counter: byBytes, Store: store, Now: at.read,
			Replicas: shared})
	}
	a, b := engine(), engine()
	keeps := func(e *Engine, who string) func(context.Context, time.Duration) bool {
		t.Helper()
		out := e.Compact(t.Context(), parse(t, in), who)
		if out.KeepsCache == nil {
			t.Fatalf("nothing says whose the cache is: %s", out.Reason)
		}
		return out.KeepsCache
	}
	first := keeps(a, "ann")
	at.now = at.now.Add(10 * time.Minute)
	second := keeps(b, "ann")
	if first(t.Context(), time.Minute) {
		t.Error("a process keeps a cache alive that another has used since")
	}
	if !second(t.Context(), time.Minute) {
		t.Error("nobody keeps it alive")
	}
	first = keeps(a, "bob")
	at.now = at.now.Add(time.Minute) // too soon to be stored again
	second = keeps(a, "bob")
	if !first(t.Context(), time.Minute) || second(t.Context(), time.Minute) {
		t.Error("not exactly one process keeps it alive")
	}
	if out := New(Options{Policy: policy, Counter: byBytes, Store: store, Now: at.read}).Compact(
		t.Context(), parse(t, in), "ann"); out.KeepsCache != nil {
		t.Error("a process that is alone asks others")
	}
}
