package replayreport

import (
	"fmt"
	"strings"
	"sync"

	"killick/internal/terminal"
	"killick/replay"
)

// Decision is one that the planner made in a replay, as the log of serve has it at level debug.
type Decision struct {
	Conversation string `json:"conversation"`
	Profile      string `json:"profile,omitempty"` // whose prices were charged; empty: the model's
	Message      int    `json:"message"`           // of the transcript, that answered the request
	Decision     string `json:"decision"`
}

// explained collects the decisions under the first setting.
type explained struct {
	strategies int // those of it

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

// list returns the decisions in the order of conversations, then of the profiles, if each had a
// replay of its own.
func (e *explained) list(
	transcripts []*replay.Transcript, planned bool, profiles []replay.Profile,
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

// DrawDecisions draws a line for each decision, however long it is: none if they were not asked
// for.
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
