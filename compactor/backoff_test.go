package compactor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"killick/compactor/plan"
	"killick/compactor/prepare"
	"killick/probe"
	"killick/rawjson"
)

// Where nothing is left to gain, that is reported once, no model is asked, and nothing is
// tried until an eighth more could be folded: here, when the long request has been
// answered.
func TestExhaustedConversations(t *testing.T) {
	long := string(rawjson.AppendQuoted(nil, strings.Repeat("Keep all of this in "+
		"mind. ", 5400))) // 35,000 tokens, pinned
	msgs := []string{`{"role":"user","content":` + long + `}`}
	for i := range 30 {
		msgs = append(msgs, fmt.Sprintf(`{"role":"assistant","content":"Step %d is `+
			`done."}`, i), `{"role":"user","content":"Go on."}`)
	}
	policy := writingPolicy
	policy.MaxTaskTokens = 40000
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
