package compaction

import (
	"slices"
	"testing"
)

func TestActionsNameWhatABodyShows(t *testing.T) {
	for name, c := range map[string]struct {
		o    Outcome
		want []Action
	}{
		"unchanged": {Outcome{Reason: ReasonFits}, nil},
		"masked":    {Outcome{Masked: true}, []Action{ActionMask}},
		"all": {
			Outcome{Reused: true, Folded: true, Masked: true},
			[]Action{ActionMask, ActionSummary, ActionReuse},
		},
		"a known record": {Outcome{Folded: true, Reused: true},
			[]Action{ActionSummary, ActionReuse}},
	} {
		got, changed := c.o.Actions(), c.o.Changed()
		if !slices.Equal(got, c.want) || changed != (len(c.want) > 0) {
			t.Errorf("%s: %v, changed %t; want %v", name, got, changed, c.want)
		}
	}
}

func TestCoverageIsAShare(t *testing.T) {
	for p, want := range map[Probe]float64{
		{}: 1, {Of: 4}: 0, {Held: 3, Of: 4}: 0.75, {Held: 4, Of: 4}: 1,
	} {
		if got := p.Coverage(); got != want {
			t.Errorf("%d of %d: %v, want %v", p.Held, p.Of, got, want)
		}
	}
}
