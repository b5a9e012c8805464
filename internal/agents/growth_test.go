package main

import (
	"slices"
	"testing"
)

func TestPromptsGrowAsRecordedOnesWhereTheyFitAWindow(t *testing.T) {
	for _, c := range []struct{ asked, turns, want int }{
		{0, 35, recordedGrowth}, {0, 120, smallGrowth}, {900, 35, 900}, {900, 120, 900},
	} {
		if got := growthOf(c.asked, c.turns); got != c.want {
			t.Errorf("%d tokens a turn at %d turns, asked for %d; want %d", got, c.turns, c.asked,
				c.want)
		}
	}
}

func TestThresholds(t *testing.T) {
	all, err := readThresholds("auto/auto,32000/16000,32000/16000/0")
	want := []thresholds{{"auto", "auto", ""}, {"32000", "16000", ""}, {"32000", "16000", "0"}}
	if err != nil || !slices.Equal(all, want) {
		t.Fatalf("%v, %v; want %v", all, err, want)
	}
	own := agent{trigger: "40000", target: "28000"}
	for i, name := range []string{"auto", "40000", "40000-ingest-0"} {
		if got := all[i].of(own).name(); got != name {
			t.Errorf("%s for an agent with thresholds of its own, want %s", got, name)
		}
	}
	for _, list := range []string{"", "auto", "1/2/3/4"} {
		if all, err := readThresholds(list); err == nil {
			t.Errorf("%q is read as %v", list, all)
		}
	}
}
