package compactor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/plan"
	"killick/probe"
)

func TestStandingsAreBounded(t *testing.T) {
	s := newStandings()
	name := func(i int) func(int) string { return func(n int) string { return fmt.Sprint(i, "/", n) } }
	for i := range mostStandings + 10 {
		s.set(standing{name: name(i)(3), phase: cooling, until: i})
	}
	if s.order.Len() != mostStandings || len(s.known) != mostStandings {
		t.Errorf("%d remembered", s.order.Len())
	}
	if s.of(9, name(0)) != nil || s.of(2, name(50)) != nil {
		t.Error("a forgotten or later standing was found")
	}
	st := s.of(9, name(50))
	if st == nil || st.phaseOf(50, 0) != cooling || st.phaseOf(51, 0) != ready || st.on(Base{Covers: 1}).phaseOf(1, 0) != ready {
		t.Errorf("standing %+v", st)
	}
	s.set(standing{name: name(50)(3), phase: exhausted, until: 7})
	if st = s.of(9, name(50)); st.phaseOf(1e9, 7) != exhausted || st.phaseOf(0, 8) != ready {
		t.Errorf("standing %+v", st)
	}
}

// What a preparation leaves a conversation in follows from what came of it, ends
// by growth alone, and ends at once with a new form.
func TestPhasesOfAConversation(t *testing.T) {
	budget := writingPolicy.withDefaults().Budget(defaultWindow, 1)
	for _, c := range []struct {
		outcome string
		want    phase
	}{
		{PreparedSummary, cooling}, {PreparedMasks, cooling}, {PreparedUnworthy, cooling}, {PreparedRejected, cooling}, {PreparedUnprobed, cooling}, {PreparedUnverified, cooling},
		{PreparedEmpty, cooling}, {PreparedMalformed, cooling}, {PreparedFailed, cooling}, {PreparedLost, cooling}, {PreparedSecond, cooling},
		{PreparedCancelled, cooling}, {PreparedPanic, cooling}, {PreparedNothing, exhausted},
	} {
		b := newBench(t, writingPolicy, Writing{})
		v := newView(parse(t, body(conversation(1, 30))), byteCounter{})
		v.split()
		p := preparation{Task: Task{View: v, Budget: budget, Policy: b.settings}, writing: b.writing, size: 30000, at: standing{name: "7"}}
		p.end(c.outcome, nil)
		st := b.writing.standings.of(9, func(n int) string { return fmt.Sprint(n) })
		if st == nil || st.phase != c.want {
			t.Errorf("%s: %+v, want phase %d", c.outcome, st, c.want)
			continue
		}
		foldable := v.foldableTokens(nil)
		grown, more := 30000+budget.step()/2, foldable+max(budget.MinGain, foldable/8)
		for _, g := range []struct {
			size, foldable int
			want           phase
		}{
			{30000, foldable, c.want}, {grown, more, c.want},
			{grown + 1, more + 1, ready},
			{grown + 1, more, map[phase]phase{cooling: ready, exhausted: exhausted}[c.want]},
		} {
			if got := st.phaseOf(g.size, g.foldable); got != g.want {
				t.Errorf("%s, at %d tokens, %d of them foldable: phase %d, want %d", c.outcome, g.size, g.foldable, got, g.want)
			}
		}
		if got := st.on(Base{Fold: 3}).phaseOf(0, 0); got != ready {
			t.Errorf("%s, with another form: phase %d", c.outcome, got)
		}
		if got := b.outcomes(); len(got) != 1 || got[0] != c.outcome {
			t.Errorf("told of %v", got)
		}
	}
}

// Where nothing is left to gain it is told once, no model is asked, and nothing is
// tried until an eighth more could be folded: here, when the long request has been
// answered.
func TestExhaustedConversations(t *testing.T) {
	long := string(chat.AppendQuoted(nil, strings.Repeat("Keep all of this in mind. ", 5400))) // 35,000 tokens, pinned
	msgs := []string{`{"role":"user","content":` + long + `}`}
	for i := range 30 {
		msgs = append(msgs, fmt.Sprintf(`{"role":"assistant","content":"Step %d is done."}`, i), `{"role":"user","content":"Go on."}`)
	}
	policy := writingPolicy
	policy.MaxPinTokens = 40000
	b := newBench(t, policy, Writing{})
	asked := faithful()
	asked.write = func(context.Context, Turns) (Written, error) {
		t.Error("a model was asked though there is nothing to gain")
		return Written{}, errors.New("not this time")
	}
	b.replay(t, msgs, asked)
	if got := tallied(b.outcomes()); len(got) != 1 || got[PreparedNothing] != 2 {
		t.Errorf("outcomes %v over 30 turns, want two, that nothing is to be gained", got)
	}
}

func TestRejectedStatementsCool(t *testing.T) {
	b := newBench(t, writingPolicy, Writing{MaxQuestions: 4})
	author := faithful()
	author.answer = func(_ context.Context, _, _ string, asked []probe.Question) ([]string, error) {
		return make([]string, len(asked)), nil
	}
	made := b.replay(t, conversation(3, 110), author)
	if slices.Contains(made, plan.FoldWithModel) || !slices.Contains(made, plan.Fold) {
		t.Errorf("made %v, want rules alone", tallied(made))
	}
	rejected := 0
	for _, o := range b.outcomes() {
		switch o {
		case PreparedRejected:
			rejected++
		case PreparedNothing:
			t.Error("a rejection exhausted the conversation")
		}
	}
	if rejected < 2 {
		t.Errorf("%d were rejected, want one for every fold at least", rejected)
	}
}
