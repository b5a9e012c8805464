package main

import (
	"fmt"
	"strings"

	"killick/internal/agents/programs"
)

// thresholds are what the proxy is started with: when it compacts, to what, and the size of outputs
// that it truncates on arrival, the profile's if empty.
type thresholds struct{ trigger, target, ingest string }

// usual are the thresholds beside those of the default profile.
var usual = thresholds{trigger: "32000", target: "16000"}

// readThresholds reads a list of TRIGGER/TARGET or TRIGGER/TARGET/INGEST.
func readThresholds(list string) (all []thresholds, err error) {
	for text := range strings.SplitSeq(list, ",") {
		fields := strings.Split(text, "/")
		if len(fields) != 2 && len(fields) != 3 {
			return nil, fmt.Errorf("-thresholds %q: want TRIGGER/TARGET or TRIGGER/TARGET/INGEST",
				text)
		}
		fields = append(fields, "")
		all = append(all, thresholds{fields[0], fields[1], fields[2]})
	}
	return all, nil
}

// of returns the thresholds for an agent, whose own take the place of the usual ones.
func (t thresholds) of(a programs.Agent) thresholds {
	if t.trigger == usual.trigger && t.target == usual.target && a.Trigger != "" {
		t.trigger, t.target = a.Trigger, a.Target
	}
	return t
}

// name is how reports call the thresholds.
func (t thresholds) name() string {
	if t.ingest == "" {
		return t.trigger
	}
	return t.trigger + "-ingest-" + t.ingest
}
