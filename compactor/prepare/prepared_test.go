package prepare

import (
	"testing"

	"killick/compaction"
)

// Of statements that were proven at different folds the worse verdict is told: what
// once failed softly does not become a pass beside others that passed.
func TestTheWorseVerdictIsTold(t *testing.T) {
	probed := func(v compaction.Verdict) *compaction.ModelProbe { return &compaction.ModelProbe{Verdict: v} }
	for _, c := range []struct {
		old, newer *compaction.ModelProbe
		worse      bool
	}{
		{nil, nil, false},
		{nil, probed(compaction.Pass), false},
		{probed(compaction.Pass), nil, true},
		{probed(compaction.Pass), probed(compaction.Pass), false},
		{probed(compaction.SoftFail), probed(compaction.Pass), true},
		{probed(compaction.Unprobed), probed(compaction.Pass), true},
		{probed(compaction.Unprobed), probed(compaction.SoftFail), true},
		{probed(compaction.Pass), probed(compaction.SoftFail), false},
		{probed(compaction.SoftFail), probed(compaction.Unprobed), false},
	} {
		if got := worse(c.old, c.newer); got != c.worse {
			t.Errorf("%+v beside %+v: worse is %t, want %t", c.old, c.newer, got, c.worse)
		}
	}
}
