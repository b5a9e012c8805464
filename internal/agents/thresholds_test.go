package main

import (
	"slices"
	"testing"

	"killick/internal/agents/programs"
)

func TestThresholds(t *testing.T) {
	all, err := readThresholds("auto/auto,32000/16000,32000/16000/0")
	want := []thresholds{{"auto", "auto", ""}, {"32000", "16000", ""}, {"32000", "16000", "0"}}
	if err != nil || !slices.Equal(all, want) {
		t.Fatalf("%v, %v; want %v", all, err, want)
	}
	own := programs.Agent{Trigger: "40000", Target: "28000"}
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
