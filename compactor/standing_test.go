package compactor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/prepare"
	"killick/compactor/settings"
	"killick/compactor/trigger"
	"killick/probe"
)

// What a preparation leaves a conversation in follows from what came of it, ends
// by growth alone, and ends at once with a new form.
func TestPhasesOfAConversation(t *testing.T) {
	budget := writingPolicy.WithDefaults().Budget(settings.DefaultWindow, 1)
	for _, c := range []struct {
		outcome string
		want    prepare.Kind
	}{
		{prepare.Prepared, prepare.Cooling}, {prepare.MasksSuffice, prepare.Cooling}, {prepare.WouldNotPay, prepare.Cooling}, {prepare.RejectedProbe, prepare.Cooling}, {prepare.RejectedUnprobed, prepare.Cooling}, {prepare.RejectedUnverified, prepare.Cooling},
		{prepare.RejectedEmpty, prepare.Cooling}, {prepare.RejectedInvalid, prepare.Cooling}, {prepare.ModelFailed, prepare.Cooling}, {prepare.NotStored, prepare.Cooling}, {prepare.Second, prepare.Cooling},
		{prepare.Cancelled, prepare.Cooling}, {prepare.Panic, prepare.Cooling}, {prepare.NothingToGain, prepare.Exhausted},
	} {
		b := newBench(t, writingPolicy, prepare.Options{})
		v := layout.New(parse(t, body(session(1, 30))), byteCounter{})
		v.Split()
		p := prepare.Writer{
			Task:    prepare.Task{View: v, Budget: budget, Policy: b.settings},
			Writing: b.writing,
			Size:    30000,
			At:      prepare.Backoff{Name: "7"},
		}
		p.End(c.outcome, nil)
		st := b.writing.Standings.Of(9, func(n int) string { return fmt.Sprint(n) })
		if st == nil || st.Kind != c.want {
			t.Errorf("%s: %+v, want phase %d", c.outcome, st, c.want)
			continue
		}
		foldable := checkpoint.FoldableTokens(v, nil)
		grown, more := 30000+trigger.Step(budget)/2, foldable+max(budget.MinGain, foldable/8)
		for _, g := range []struct {
			size, foldable int
			want           prepare.Kind
		}{
			{30000, foldable, c.want}, {grown, more, c.want},
			{grown + 1, more + 1, prepare.Ready},
			{grown + 1, more, map[prepare.Kind]prepare.Kind{prepare.Cooling: prepare.Ready, prepare.Exhausted: prepare.Exhausted}[c.want]},
		} {
			if got := st.KindAt(g.size, g.foldable); got != g.want {
				t.Errorf(
					"%s, at %d tokens, %d of them foldable: phase %d, want %d",
					c.outcome,
					g.size,
					g.foldable,
					got,
					g.want,
				)
			}
		}
		if got := st.On(checkpoint.Base{Fold: 3}).KindAt(0, 0); got != prepare.Ready {
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
	long := string(
		chat.AppendQuoted(nil, strings.Repeat("Keep all of this in mind. ", 5400)),
	) // 35,000 tokens, pinned
	msgs := []string{`{"role":"user","content":` + long + `}`}
	for i := range 30 {
		msgs = append(
			msgs,
			fmt.Sprintf(`{"role":"assistant","content":"Step %d is done."}`, i),
			`{"role":"user","content":"Go on."}`,
		)
	}
	policy := writingPolicy
	policy.MaxPinTokens = 40000
	b := newBench(t, policy, prepare.Options{})
	asked := faithful()
	asked.write = func(context.Context, prepare.Turns) (prepare.Written, error) {
		t.Error("a model was asked though there is nothing to gain")
		return prepare.Written{}, errors.New("not this time")
	}
	b.replay(t, msgs, asked)
	if got := tallied(b.outcomes()); len(got) != 1 || got[prepare.NothingToGain] != 2 {
		t.Errorf("outcomes %v over 30 turns, want two, that nothing is to be gained", got)
	}
}

func TestRejectedStatementsCool(t *testing.T) {
	b := newBench(t, writingPolicy, prepare.Options{MaxQuestions: 4})
	author := faithful()
	author.answer = func(_ context.Context, _, _ string, asked []probe.Question) ([]string, error) {
		return make([]string, len(asked)), nil
	}
	made := b.replay(t, session(3, 110), author)
	if slices.Contains(made, plan.FoldWithModel) || !slices.Contains(made, plan.Fold) {
		t.Errorf("made %v, want rules alone", tallied(made))
	}
	rejected := 0
	for _, o := range b.outcomes() {
		switch o {
		case prepare.RejectedProbe:
			rejected++
		case prepare.NothingToGain:
			t.Error("a rejection exhausted the conversation")
		}
	}
	if rejected < 2 {
		t.Errorf("%d were rejected, want one for every fold at least", rejected)
	}
}
