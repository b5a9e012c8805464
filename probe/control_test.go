package probe

import (
	"slices"
	"testing"
)

// Controls stand among the statements, which keep their order and their answers.
func TestWithControls(t *testing.T) {
	all := []Statement{
		{Text: "The build passes.", Quote: "build ok", Writer: "tool", Messages: []int{1}},
		{Text: "The build: Priya reviews it.", Quote: "Priya will review", Writer: "user",
			Messages: []int{2}},
		{Text: "The build took 240 s.", Quote: "build ok in 240 s", Writer: "tool",
			Messages: []int{3}},
	}
	checks := WithControls(all)
	if len(checks.Shown) != len(all)+len(checks.controls) || len(checks.controls) != maxControls {
		t.Fatalf("%d shown, %d controls", len(checks.Shown), len(checks.controls))
	}
	answers := make([]Support, len(checks.Shown))
	var own []Statement
	for i, s := range checks.Shown {
		if slices.Contains(checks.controls, i) {
			answers[i] = Insufficient
			if related(s.Text, s.Quote) || s.Passage != s.Quote {
				t.Errorf("a control that shares a word with its quote: %+v", s)
			}
			continue
		}
		answers[i] = Support(s.Text)
		own = append(own, s)
	}
	got, ok := checks.Answers(answers)
	if !ok || len(got) != len(all) || !slices.EqualFunc(own, all, func(a, b Statement) bool {
		return a.Text == b.Text && a.Quote == b.Quote
	}) {
		t.Errorf("answers %q, %v, statements %+v", got, ok, own)
	}
	for i, answer := range got {
		if string(answer) != all[i].Text {
			t.Errorf("answer %d is that of %q", i, answer)
		}
	}
	for _, at := range checks.controls {
		some := slices.Clone(answers)
		some[at] = Supported
		if got, ok := checks.Answers(some); ok || got != nil {
			t.Errorf("a control is supported, and the answers are %q", got)
		}
	}
	if short, ok := checks.Answers(answers[:1]); !ok || len(short) > 1 {
		t.Errorf("of one answer: %q, %v", short, ok)
	}
	for _, few := range [][]Statement{all[:1], {all[0], all[2]}} { // all about one thing
		checks := WithControls(few)
		if len(checks.controls) != 1 || len(checks.Shown) != len(few)+1 ||
			checks.Shown[checks.controls[0]].Quote != noQuote {
			t.Errorf("%d controls of %d statements about one thing: %+v", len(checks.controls),
				len(few), checks.Shown)
		}
	}
	if checks := WithControls(nil); len(checks.Shown) > 0 {
		t.Errorf("of no statement: %+v", checks.Shown)
	}
}
