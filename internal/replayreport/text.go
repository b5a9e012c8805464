package replayreport

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"killick/internal/terminal"
	"killick/replay"
)

// savedOf returns the share of tokens that is saved, "none" if there are no turns.
func savedOf(p replay.Pair) string {
	if p.Turns == 0 {
		return "none"
	}
	return saved(p.Share())
}

// saved returns the savings if this share is left. They are negative if more is sent.
func saved(share float64) string {
	return tenths(math.Round(1000*(1-share))/1000 + 0) // adding zero turns -0 into 0
}

func tenths(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// cut shortens a text to a number of characters.
func cut(s string, width int) string {
	if characters := []rune(s); len(characters) > width {
		return string(characters[:width-2]) + ".."
	}
	return s
}

// listed lists counts by name.
func listed(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %s", name, terminal.Grouped(counts[name])))
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// faultsOf lists the faults.
func faultsOf(v replay.Validity) string {
	var parts []string
	for _, f := range []struct {
		n    int
		noun string
	}{
		{v.BrokenPairs, "with broken tool pairs"},
		{v.ChangedInstructions, "with changed instructions"},
		{v.LostTask, "without the task"}, {v.LostRequest, "without the latest request"},
		{v.ChangedFields, "with changed fields"}, {v.Grew, "larger than received"},
		{v.Failed, "failed"},
	} {
		if f.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", terminal.Grouped(f.n), f.noun))
		}
	}
	if parts == nil {
		return "no pair broken, no request lost, nothing else changed"
	}
	return "turns: " + strings.Join(parts, ", ")
}
