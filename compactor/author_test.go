package compactor

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"killick/compactor/prepare"
	"killick/compactor/settings"
	"killick/probe"
	"killick/view"
)

// scribe is an Author whose every answer a test decides. What it leaves out is
// answered as an honest model would.
type scribe struct {
	write  func(ctx context.Context, turns prepare.Turns) (prepare.Written, error)
	verify func(ctx context.Context, checks probe.Checks) ([]probe.Support, error)
	ask    func(ctx context.Context, turns prepare.Turns, most int) ([]probe.Question, error)
	answer func(
		ctx context.Context, account, record string, asked []probe.Question,
	) ([]string, error)
	grade func(ctx context.Context, answers []probe.Answered) ([]float64, error)
}

func (s *scribe) Write(
	ctx context.Context,
	_ []byte,
	turns prepare.Turns,
	_ string,
) (prepare.Written, error) {
	if s.write != nil {
		return s.write(ctx, turns)
	}
	return prepare.Written{Form: "structured", Statements: trueStatements(turns)}, nil
}

func (s *scribe) Verify(
	ctx context.Context,
	_ []byte,
	checks probe.Checks,
) ([]probe.Support, error) {
	if s.verify != nil {
		return s.verify(ctx, checks)
	}
	return honestly(checks.Shown), nil
}

// honestly supports what contains its quote, as the statements of a faithful author do.
func honestly(statements []probe.Statement) []probe.Support {
	supports := make([]probe.Support, len(statements))
	for i := range supports {
		supports[i] = probe.Insufficient
		if strings.Contains(statements[i].Text, statements[i].Quote) {
			supports[i] = probe.Supported
		}
	}
	return supports
}

func (s *scribe) Ask(
	ctx context.Context,
	_ []byte,
	turns prepare.Turns,
	most int,
) ([]probe.Question, error) {
	if s.ask != nil {
		return s.ask(ctx, turns, most)
	}
	return trueQuestions(turns), nil
}

func (s *scribe) Answer(
	ctx context.Context,
	_ []byte,
	account, record string,
	asked []probe.Question,
) ([]string, error) {
	if s.answer != nil {
		return s.answer(ctx, account, record, asked)
	}
	answers := make([]string, len(asked))
	for i := range asked {
		answers[i] = asked[i].Expected
	}
	return answers, nil
}

func (s *scribe) Grade(ctx context.Context, _ []byte, answers []probe.Answered) ([]float64, error) {
	if s.grade != nil {
		return s.grade(ctx, answers)
	}
	return make([]float64, len(answers)), nil
}

// faithful is an honest author.
func faithful() *scribe { return &scribe{} }

// claim is how the statements of a faithful author begin.
const claim = "It was said that "

// quotesIn returns the beginnings of the first messages of turns, each once, with the numbers of
// the messages.
func quotesIn(turns prepare.Turns, most int) (quotes []string, at []int) {
	seen := map[string]bool{}
	for i := range turns.Messages {
		m := &turns.Messages[i]
		if m.Role() != view.Assistant && m.Role() != view.User {
			continue
		}
		words := strings.Fields(m.Text())
		q := strings.Join(words[:min(len(words), 9)], " ")
		if len(words) < 3 || len(quotes) == most || seen[q] {
			continue
		}
		seen[q] = true
		quotes, at = append(quotes, q), append(at, turns.First+i)
	}
	return quotes, at
}

// trueStatements returns statements that are true of any turns.
func trueStatements(turns prepare.Turns) (list []probe.Statement) {
	quotes, at := quotesIn(turns, 6)
	for i, q := range quotes {
		list = append(
			list,
			probe.Statement{Section: "state", Text: claim + q, Messages: []int{at[i]}, Quote: q},
		)
	}
	return list
}

// trueQuestions are questions whose answers are in the turns.
func trueQuestions(turns prepare.Turns) (list []probe.Question) {
	quotes, at := quotesIn(turns, 4)
	for i, q := range quotes {
		list = append(
			list,
			probe.Question{
				Category: probe.Recall,
				Text:     fmt.Sprintf("Which words begin number %d?", at[i]),
				Expected: q,
				Message:  at[i],
			},
		)
	}
	return list
}

// bench is an engine whose preparations a test waits for.
type bench struct {
	*Engine
	mu    sync.Mutex
	heard []prepare.Report
}

func newBench(t testing.TB, policy settings.Policy, w prepare.Options) *bench {
	b := &bench{}
	w.Report = func(p prepare.Report) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.heard = append(b.heard, p)
	}
	b.Engine = New(
		Options{
			Policy:   policy,
			Counter:  byBytes,
			Store:    newMemStore(),
			Prepared: newMemStore(),
			Writing:  w,
		},
	)
	t.Cleanup(b.Close)
	return b
}

// settle waits until nothing is being prepared.
func (b *bench) settle(t testing.TB) {
	t.Helper()
	if err := b.Wait(t.Context()); err != nil {
		t.Fatal(err)
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
func (b *bench) replay(t *testing.T, msgs []string, author prepare.Author) (made []string) {
	t.Helper()
	turns(t, msgs, func(n int) {
		in := body(msgs[:n])
		res := b.CompactFor(t.Context(), parse(t, in), "ann", by(author))
		checkForm(t, in, res.Body)
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
			again := b.CompactFor(t.Context(), parse(t, in), "ann", by(author))
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
var writingPolicy = settings.Policy{
	Trigger:       40000,
	Target:        15000,
	MinMaskTokens: 100000,
	RecordTokens:  4000,
	IndexTokens:   400,

	WorkingSetTokens: 300,
	CheckCoverage:    true,
}

// tallied counts words, for messages that can be read.
func tallied(words []string) map[string]int {
	n := map[string]int{}
	for _, w := range words {
		n[w]++
	}
	return n
}

// by is an author as a request has it.
func by(a prepare.Author) prepare.Writers { return prepare.Writers{Author: a} }
