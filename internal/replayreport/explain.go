package replayreport

import (
	"fmt"
	"strings"
	"sync"

	"killick/internal/terminal"
	"killick/replay"
	"killick/replay/billing"
)

// explained collects the decisions under the first setting.
type explained struct {
	strategies int // of the first setting

	mu   sync.Mutex
	made map[*replay.Transcript][][]Decision // by strategy
}

func newExplained(strategies int) *explained {
	return &explained{strategies: strategies, made: map[*replay.Transcript][][]Decision{}}
}

// note notes the decisions for a request.
func (e *explained) note(t *replay.Transcript, strategy, at int, f replay.Forwarded) {
	if strategy >= e.strategies || len(f.Plans) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.made[t] == nil {
		e.made[t] = make([][]Decision, e.strategies)
	}
	for _, plan := range f.Plans {
		e.made[t][strategy] = append(e.made[t][strategy],
			Decision{Conversation: t.ID, Message: at, Decision: plan})
	}
}

// list returns the decisions by conversation and, if each profile had its own replay, by profile.
func (e *explained) list(
	transcripts []*replay.Transcript, planned bool, profiles []billing.Profile,
) (all []Decision) {
	for _, t := range transcripts {
		for n, made := range e.made[t] {
			for _, d := range made {
				if planned {
					d.Profile = profiles[n].Name
				}
				all = append(all, d)
			}
		}
	}
	return all
}

// DrawDecisions draws each decision on one line, however long. It draws nothing without --explain.
func (r *Report) DrawDecisions(l terminal.Look) string {
	var b strings.Builder
	head := ""
	for _, d := range r.Decisions {
		name := terminal.Printable(d.Conversation)
		if d.Profile != "" {
			name += " at " + terminal.Printable(d.Profile)
		}
		if name != head {
			head = name
			fmt.Fprintf(&b, "\n  %s\n", l.Strong(name))
		}
		fmt.Fprintf(&b, "  %05d: %s\n", d.Message, d.Decision)
	}
	return b.String()
}
