package probe

import (
	"fmt"
	"slices"
	"testing"
)

// notes are statements about as many things, each beside its own quote.
func notes(n int) (all []Statement) {
	for i := range n {
		word := string(rune('a'+i%26)) + "lpha" + string(rune('a'+i/26))
		all = append(all, Statement{Text: word + " holds", Quote: word + " is so", Writer: "tool",
			Messages: []int{i + 1}, At: i + 1})
	}
	return all
}

// answered returns a verifier's answers: supported where it says so, else not enough.
func answered(c *Checks, supports func(i int, s *Statement) bool) []Support {
	all := slices.Repeat([]Support{Insufficient}, len(c.Shown))
	for i := range all {
		if supports(i, &c.Shown[i]) {
			all[i] = Supported
		}
	}
	return all
}

// Controls stand among the statements, at both ends too. The statements keep their order and their
// answers.
func TestWithControls(t *testing.T) {
	for n := range MaxStatements + 1 {
		all := notes(n)
		checks := WithControls(all)
		if want := min(maxControls, 2*n, n*n); len(checks.controls) != want && n > 2 {
			t.Errorf("%d controls of %d statements, want %d", len(checks.controls), n, want)
		}
		if n > 0 && !slices.Contains(checks.controls, 0) || n > 1 &&
			!slices.Contains(checks.controls, len(checks.Shown)-1) {
			t.Errorf("of %d statements, the controls %v are not at the ends", n, checks.controls)
		}
		own := slices.Clone(checks.Shown)
		for k, at := range checks.controls {
			if s := checks.Shown[at]; related(s.Text, s.Quote) || s.Passage != s.Quote {
				t.Errorf("a control that shares a word with its quote: %+v", s)
			}
			own = slices.Delete(own, at-k, at-k+1)
		}
		got, ok := checks.Answers(answered(&checks, func(i int, s *Statement) bool {
			return !slices.Contains(checks.controls, i) && s.At%2 == 0
		}))
		if !ok || len(got) != n || len(own) != n {
			t.Fatalf("of %d statements %d answers, %v; %d are shown", n, len(got), ok, len(own))
		}
		for i := range all {
			if own[i].Text != all[i].Text || (got[i] == Supported) != (all[i].At%2 == 0) {
				t.Errorf("%d: %+v with the answer %q", i, own[i], got[i])
			}
		}
	}
}

// A verifier that does not compare statements with quotes is not believed.
func TestVerifiersThatDoNotCompare(t *testing.T) {
	for name, of := range map[string]struct {
		supports func(i, of int) bool
		most     int // that are believed
	}{
		"all":            {func(int, int) bool { return true }, 0},
		"the first half": {func(i, of int) bool { return i < of/2 }, 0},
		"the first":      {func(i, _ int) bool { return i == 0 }, 0},
		"the last":       {func(i, of int) bool { return i == of-1 }, 0},
		"the last half":  {func(i, of int) bool { return i >= of/2 }, 0},
		"odd numbers":    {func(i, _ int) bool { return i%2 == 0 }, 0},
		"even numbers":   {func(i, _ int) bool { return i%2 == 1 }, 3},
		"each third":     {func(i, _ int) bool { return i%3 == 2 }, 10},
	} {
		believed := 0
		for n := 4; n <= MaxStatements; n++ {
			checks := WithControls(notes(n))
			got, ok := checks.Answers(answered(&checks, func(i int, _ *Statement) bool {
				return of.supports(i, len(checks.Shown))
			}))
			if believed += count(ok); ok != (got != nil) {
				t.Errorf("%s of %d: %q, %v", name, n, got, ok)
			}
		}
		t.Logf("%s: believed in %d of 97 lists", name, believed)
		if believed > of.most {
			t.Errorf("%s: believed in %d of 97 lists, want %d at most", name, believed, of.most)
		}
	}
	checks := WithControls(notes(9))
	for _, short := range [][]Support{nil, {Insufficient}, {Insufficient, Supported},
		slices.Repeat([]Support{Insufficient}, len(checks.Shown)-1)} {
		if got, ok := checks.Answers(short); ok || got != nil {
			t.Errorf("answers to the first %d alone are believed: %q", len(short), got)
		}
	}
	for _, at := range checks.controls {
		some := slices.Repeat([]Support{Opposed}, len(checks.Shown))
		some[at] = Unanswered
		if _, ok := checks.Answers(some); ok {
			t.Error("a control has no answer, and the others are believed")
		}
	}
}

// Of verifiers that answer at random, few are believed.
func TestVerifiersThatAnswerAtRandom(t *testing.T) {
	believed, tried := 0, 0
	for seed := range 2000 {
		checks := WithControls(notes(4 + seed%30))
		tried++
		if _, ok := checks.Answers(answered(&checks, func(i int, _ *Statement) bool {
			return hash(fmt.Sprint(seed, " ", i))%2 == 0
		})); ok {
			believed++
		}
	}
	t.Logf("%d of %d are believed", believed, tried)
	if 50*believed > tried {
		t.Errorf("%d of %d verifiers that answer at random are believed", believed, tried)
	}
}

// Statements about one thing have controls without a quote.
func TestControlsOfStatementsAboutOneThing(t *testing.T) {
	one := Statement{Text: "The build passes.", Quote: "build ok"}
	for n := 1; n < 4; n++ {
		checks := WithControls(slices.Repeat([]Statement{one}, n))
		if len(checks.controls) != n || len(checks.Shown) != 2*n {
			t.Errorf("%d controls of %d statements", len(checks.controls), n)
		}
		for _, at := range checks.controls {
			if checks.Shown[at].Quote != noQuote {
				t.Errorf("the quote of a control is %q", checks.Shown[at].Quote)
			}
		}
	}
}
