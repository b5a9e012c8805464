package compactor

import (
	"errors"
	"fmt"
)

// Limits of a summary. Lists hold what is best worth keeping; the rendering
// takes from each as much as it has room for.
const (
	maxIntent  = 2000 // bytes of the session intent
	maxEntry   = 500  // bytes of an entry
	maxEntries = 50   // entries of a list
	maxRule    = 1000 // bytes of a standing rule; longer sentences are not taken for rules
)

// Summary is the anchored summary of the turns that were folded: a fixed set of
// sections, none of which can vanish silently. Lists may be empty; the three
// sections marked required may not.
type Summary struct {
	Intent    string     `json:"session_intent"` // required: the task and how it changed
	Rules     []string   `json:"pinned_rules"`   // the user's standing rules, word for word
	Requests  []Request  `json:"user_requests"`  // newest first
	Files     []File     `json:"files_modified"` // most recently changed first
	Reads     []File     `json:"files_read"`     // most recently read first
	Decisions []Decision `json:"decisions_made"` // newest first
	Completed []string   `json:"completed"`      // newest first
	Failed    []string   `json:"failed_attempts"`
	State     string     `json:"current_state"` // required: where things stand
	Open      []Question `json:"open_questions"`
	Data      []Datum    `json:"key_data"`   // most worth keeping first
	Next      []string   `json:"next_steps"` // required: what was to come next
	// Todos is the latest list of the agent's own todo or plan tool: what is done of
	// it stands in Completed, the rest in Next.
	Todos []Todo `json:"todos,omitempty"`
	// Names is an index of what the folded turns named, best first. It is bounded
	// by Policy.IndexTokens, not by the limits of the lists.
	Names []Name `json:"names,omitempty"`
	// Originals is the handle of a list of the whole outputs that the folded turns
	// held, each with a handle of its own; "" if there were none worth keeping.
	Originals string `json:"originals,omitempty"`
	// Facts were missing when the summary was probed, and are quoted from the
	// turns that it replaces.
	Facts []string `json:"verbatim_facts,omitempty"`
}

// Request is something that the user asked for.
type Request struct {
	Text string `json:"text"`
	Done bool   `json:"done"` // the assistant has reported on it
}

// File is a file that tool calls named.
type File struct {
	Path    string `json:"path"`
	Created bool   `json:"created,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	Edits   int    `json:"edits,omitempty"`
	Reads   int    `json:"reads,omitempty"`
	Detail  string `json:"detail,omitempty"` // of the last edit
}

// Decision is a choice, in the words in which it was made.
type Decision struct {
	Text       string `json:"text"`
	Superseded bool   `json:"superseded,omitempty"` // a later decision took its place
}

// Question is a question without an answer, or an error that nothing resolved.
type Question struct {
	Text   string `json:"text"`
	Target string `json:"target,omitempty"` // of an error: what its call worked on
}

// Datum is an identifier, a URL, a value or a version, word for word.
type Datum struct {
	Text  string `json:"text"`
	Score int    `json:"score"`
}

// errSummary is what validation wraps.
var errSummary = errors.New("invalid summary")

// Validate checks the summary against its schema's limits and reports every
// fault at once.
func (s *Summary) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("%w: "+format, append([]any{errSummary}, args...)...))
	}
	required := func(name string, empty bool) {
		if empty {
			fault("%s is empty", name)
		}
	}
	required("session_intent", s.Intent == "")
	required("current_state", s.State == "")
	required("next_steps", len(s.Next) == 0)
	if len(s.Intent) > maxIntent {
		fault("session_intent has %d bytes, at most %d are allowed", len(s.Intent), maxIntent)
	}
	for name, lengths := range s.entryLengths() {
		if len(lengths) > maxEntries {
			fault("%s has %d entries, at most %d are allowed", name, len(lengths), maxEntries)
		}
		limit := maxEntry
		if name == "pinned_rules" {
			limit = maxRule
		}
		for i, n := range lengths {
			if n > limit {
				fault("%s[%d] has %d bytes, at most %d are allowed", name, i, n, limit)
			}
			if n == 0 {
				fault("%s[%d] is empty", name, i)
			}
		}
	}
	return errors.Join(faults...)
}

func (s *Summary) entryLengths() map[string][]int {
	return map[string][]int{
		"pinned_rules":    lengths(s.Rules, func(t string) string { return t }),
		"user_requests":   lengths(s.Requests, func(r Request) string { return r.Text }),
		"files_modified":  lengths(s.Files, func(f File) string { return f.Path + f.Detail }),
		"files_read":      lengths(s.Reads, func(f File) string { return f.Path + f.Detail }),
		"decisions_made":  lengths(s.Decisions, func(d Decision) string { return d.Text }),
		"completed":       lengths(s.Completed, func(t string) string { return t }),
		"failed_attempts": lengths(s.Failed, func(t string) string { return t }),
		"current_state":   {len(s.State)},
		"open_questions":  lengths(s.Open, func(q Question) string { return q.Text }),
		"key_data":        lengths(s.Data, func(d Datum) string { return d.Text }),
		"next_steps":      lengths(s.Next, func(t string) string { return t }),
		"verbatim_facts":  lengths(s.Facts, func(t string) string { return t }),
	}
}

func lengths[T any](list []T, text func(T) string) []int {
	n := make([]int, len(list))
	for i, item := range list {
		n[i] = len(text(item))
	}
	return n
}
