package prepare

import (
	"testing"

	"killick/compaction"
)

// For statements that were verified at different folds, the worse verdict is reported: a soft fail
// does not become a pass because newer statements passed.
func TestTheWorseVerdictIsReported(t *testing.T) {
	of := func(v compaction.Verdict) *compaction.ModelProbe {
		return &compaction.ModelProbe{Verdict: v}
	}
	for _, c := range []struct {
		older, newer *compaction.ModelProbe
		worse        bool
	}{
		{nil, nil, false},
		{nil, of(compaction.Pass), false},
		{of(compaction.Pass), nil, true},
		{of(compaction.Pass), of(compaction.Pass), false},
		{of(compaction.SoftFail), of(compaction.Pass), true},
		{of(compaction.Unprobed), of(compaction.Pass), true},
		{of(compaction.Unprobed), of(compaction.SoftFail), true},
		{of(compaction.Pass), of(compaction.SoftFail), false},
		{of(compaction.SoftFail), of(compaction.Unprobed), false},
	} {
		got := worse(&compaction.Probe{Model: c.older}, c.newer)
		if carried := got != nil && got.Carried; carried != c.worse {
			t.Errorf("%+v beside %+v: carried %t, want %t", c.older, c.newer, carried, c.worse)
		}
		if !c.worse && got != c.newer || c.worse && got.Verdict != c.older.Verdict {
			t.Errorf("%+v beside %+v: %+v is reported", c.older, c.newer, got)
		}
	}
	if newer := of(compaction.Pass); worse(nil, newer) != newer {
		t.Error("without an earlier fold something else is reported")
	}
}
