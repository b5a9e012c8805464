package compactor

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"killick/chat"
)

// scribe is an Author whose every answer a test decides.
type scribe struct {
	write  func(ctx context.Context, turns []chat.Message) (Written, error)
	ask    func() ([]Asked, error)
	answer func(record string, asked []Asked) ([]string, error)
}

func (s *scribe) Write(ctx context.Context, _ []byte, turns []chat.Message, _ string) (Written, error) {
	return s.write(ctx, turns)
}

func (s *scribe) Ask(context.Context, []byte, []chat.Message, int) ([]Asked, error) { return s.ask() }

func (s *scribe) Answer(_ context.Context, _ []byte, record string, asked []Asked) ([]string, error) {
	return s.answer(record, asked)
}

// faithful writes what can be said of any of the conversations.
func faithful() *scribe {
	return &scribe{write: func(context.Context, []chat.Message) (Written, error) {
		return Written{Form: "structured", Prose: Prose{
			Intent: "The login is to work again.", State: "Handlers were read and edited, the tests run.",
			Decisions: []Choice{{Text: "The router stays as it is", Reason: "handlers hold the fault"}},
			Completed: []string{"Handlers were looked at"}, Next: []string{"Run the linter again"},
		}}, nil
	}}
}

// bench is an engine whose preparations a test waits for.
type bench struct {
	*Engine
	mu    sync.Mutex
	heard []Preparation
}

func newBench(t *testing.T, policy Policy, w Writing) *bench {
	b := &bench{}
	w.Report = func(p Preparation) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.heard = append(b.heard, p)
	}
	b.Engine = New(Options{Policy: policy, Counter: byBytes, Store: newMemStore(), Prepared: newMemStore(), Writing: w})
	t.Cleanup(b.Close)
	return b
}

// settle waits until nothing is being prepared.
func (b *bench) settle(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		n := b.Preparing()
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d jobs are still there", n)
		}
		time.Sleep(time.Millisecond)
	}
}

func (b *bench) outcomes() (all []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.heard {
		all = append(all, p.Outcome)
	}
	return all
}

// replay sends every turn, lets its preparation end, and returns the outcomes of
// its compactions.
func (b *bench) replay(t *testing.T, msgs []string, author Author) (made []string) {
	t.Helper()
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := b.CompactFor(t.Context(), parse(t, in), "ann", author)
		checkForm(t, in, res.Body)
		if res.Waited {
			t.Errorf("turn %d waited", n)
		}
		if len(res.FailOpens) > 0 {
			t.Errorf("turn %d: %+v", n, res.FailOpens)
		}
		if got := recount(parse(t, res.Body)); got != res.Sent {
			t.Errorf("turn %d: says %d tokens, sent %d", n, res.Sent, got)
		}
		made = append(made, res.Made...)
		if res.After != nil {
			res.After(true)
			b.settle(t)
			again := b.CompactFor(t.Context(), parse(t, in), "ann", author)
			if !bytes.Equal(again.Body, res.Body) {
				t.Errorf("turn %d, sent again, reads otherwise", n)
			}
			if again.After != nil {
				again.After(false)
			}
		}
	})
	return made
}

// The generated turns have up to 4000 tokens.
var writingPolicy = Policy{Trigger: 40000, Target: 15000, MinMaskTokens: 100000, RecordTokens: 4000, IndexTokens: 400}

// tallied counts words, for messages that can be read.
func tallied(words []string) map[string]int {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	return n
}

// strict fails every record that holds a word.
type strict struct{ word string }

func (s strict) Questions([]chat.Message) func(string) (Probe, []string) {
	return func(record string) (Probe, []string) {
		if strings.Contains(record, s.word) {
			return Probe{Verdict: HardFail}, nil
		}
		return Probe{Verdict: Pass, Score: 1}, nil
	}
}

// passes fails every record that does not hold the words.
type passes string

func (p passes) Questions([]chat.Message) func(string) (Probe, []string) {
	return func(record string) (Probe, []string) {
		if !strings.Contains(record, string(p)) {
			return Probe{Verdict: HardFail}, nil
		}
		return Probe{Verdict: Pass, Score: 1}, nil
	}
}
