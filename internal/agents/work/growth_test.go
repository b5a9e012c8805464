package work

import "testing"

func TestPromptsGrowAsRecordedOnesWhereTheyFitAWindow(t *testing.T) {
	for _, c := range []struct{ asked, turns, want int }{
		{0, 35, RecordedGrowth}, {0, 120, smallGrowth}, {900, 35, 900}, {900, 120, 900},
	} {
		if got := GrowthOf(c.asked, c.turns); got != c.want {
			t.Errorf("%d tokens a turn at %d turns, asked for %d; want %d", got, c.turns, c.asked,
				c.want)
		}
	}
}
