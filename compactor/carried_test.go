package compactor

import "testing"

// Of statements that were proven at different folds the worse verdict is told: what
// once failed softly does not become a pass beside others that passed.
func TestTheWorseVerdictIsTold(t *testing.T) {
	probed := func(v Verdict) *ModelProbe { return &ModelProbe{Verdict: v} }
	for _, c := range []struct {
		old, newer *ModelProbe
		worse      bool
	}{
		{nil, nil, false},
		{nil, probed(Pass), false},
		{probed(Pass), nil, true},
		{probed(Pass), probed(Pass), false},
		{probed(SoftFail), probed(Pass), true},
		{probed(Unprobed), probed(Pass), true},
		{probed(Unprobed), probed(SoftFail), true},
		{probed(Pass), probed(SoftFail), false},
		{probed(SoftFail), probed(Unprobed), false},
	} {
		if got := c.old.worseThan(c.newer); got != c.worse {
			t.Errorf("%+v beside %+v: worse is %t, want %t", c.old, c.newer, got, c.worse)
		}
	}
}
