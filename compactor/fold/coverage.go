package fold

import (
	"slices"
	"strconv"
	"strings"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/summary"
	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/summary/quotes"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// coverage counts structural facts of the replaced turns, and how many of them are in the record:
// the task, each request, files written, calls that failed, open items of the agent's to-do list.
// It is about the record before repairs, and does not measure how well the record states them.
type coverage struct {
	held, of int
	missing  []string // lines that would repair the record, the most important first
}

// Limits of the lines that are added to a record.
const (
	maxRepairs    = 8
	maxRepairLine = 400
)

// repairs returns the lines to add that fit into room bytes.
func (c *coverage) repairs(room int) (lines []string) {
	for _, l := range c.missing {
		if room -= len(l) + len("- \n"); room < 0 || len(lines) == maxRepairs {
			break
		}
		lines = append(lines, l)
	}
	return lines
}

// item counts a fact that a record must have. repair returns the line that would add it.
func (c *coverage) item(held bool, repair func() string) {
	c.of++
	if held {
		c.held++
	} else {
		c.missing = append(c.missing, repair())
	}
}

// coverageOf compares the draft to the turns that it newly replaces.
func coverageOf(
	h *history.History, cp *checkpoint.Checkpoint, d *Draft, to int,
) *coverage {
	text := d.before + d.Text()
	kept := map[int]bool{}
	for _, k := range cp.KeptWith(d.Kept) {
		kept[k.Index] = true
	}
	c := &coverage{}
	c.requests(h, text, kept, to)
	c.calls(h, text, d.all.Calls, to)
	for i := range d.all.Todos {
		if t := &d.all.Todos[i]; t.Status != transcript.TodoDone {
			line := excerpt.Quote(t.Text, maxRepairLine)
			c.item(strings.Contains(text, line), func() string {
				return "todo " + string(t.Status) + " (" + strconv.Itoa(t.At+1) + "): " + line
			})
		}
	}
	return c
}

// requests counts what persons said, kept or quoted. What was said several times in the same words
// counts once: some clients repeat a message of their own whenever the agent stops.
func (c *coverage) requests(h *history.History, text string, kept map[int]bool, to int) {
	type request struct {
		words, label string
		held         bool
	}
	var all []*request
	byText := map[string]*request{}
	for i := h.Folded(); i < to; i++ {
		if h.Transcript.Messages[i].Role() != view.User ||
			h.Transcript.Message(i).Speaker != speech.Person {
			continue
		}
		words := h.Transcript.Message(i).Words()
		quote := quotes.Quote{At: i + 1, By: speech.Person,
			Name: quotes.Participant(&h.Transcript.Messages[i], h.Policy.Redact.Of)}
		key := quote.Name + ": " + words
		r := byText[key]
		if r == nil || words == "" {
			r = &request{words: words}
			byText[key], all = r, append(all, r)
		}
		r.label = quote.Label()
		r.held = r.held || kept[i] || strings.Contains(text, "\n- "+r.label)
	}
	for _, r := range all {
		c.item(r.held, func() string {
			return r.label + excerpt.Quote(h.Policy.Redact.Of(r.words), maxRepairLine)
		})
	}
}

// calls counts the files that calls wrote, and the failed calls that did not succeed later, the
// newest first.
func (c *coverage) calls(h *history.History, text string, outcomes []summary.Outcome, to int) {
	calls := h.Transcript.CallsBefore(to)
	open := transcript.Open(calls)
	failed, written := map[string]bool{}, map[string]bool{}
	for n := len(calls) - 1; n >= 0; n-- {
		call := &calls[n]
		if open[n] && call.Nested() == nil && call.Result < to && !failed[call.Key()] {
			failed[call.Key()] = true
			c.failure(h, text, outcomes, call)
		}
		if call.Effect != transcript.Writes || call.MayHaveFailed() || call.Result < 0 {
			continue
		}
		for _, p := range call.Paths {
			if !written[p.Name] {
				written[p.Name] = true
				c.file(text, call, p.Name)
			}
		}
	}
}

// failure counts a failed call. What a call that reads on in a session stated is among the
// outcomes, if it was the last of its command.
func (c *coverage) failure(
	h *history.History, text string, outcomes []summary.Outcome, call *transcript.Call,
) {
	at := strconv.Itoa(call.Caller + 1)
	if began := call.Began(); began >= 0 {
		at = strconv.Itoa(began+1) + "-" + at
	}
	line := at + " " + describe.Tool(call.Name) + "("
	what := func() string {
		return at + " " + h.Policy.Redact.Of(describe.Call(call, maxRepairLine/2))
	}
	if call.Polls() != "" {
		i := slices.IndexFunc(outcomes, func(o summary.Outcome) bool {
			return o.At == call.Caller+1 && o.Failed()
		})
		if i < 0 {
			return
		}
		line = outcomes[i].Label()
		what = func() string { return line + outcomes[i].What + ")" }
	}
	c.item(strings.Contains(text, "\n- "+line), func() string {
		return what() + summary.Ending(call.Status, call.Exit)
	})
}

// file counts a file that a call wrote.
func (c *coverage) file(text string, call *transcript.Call, path string) {
	name := excerpt.Quote(path, maxRepairLine)
	base := name[strings.LastIndexAny(name, `/\`)+1:]
	c.item(strings.Contains(text, base), func() string {
		return describe.Tool(call.Name) + " (" + strconv.Itoa(call.Caller+1) + "): " + name
	})
}

// verify renders the draft and compares it with the turns that it replaces. It adds what is
// missing, and notes in cp how much was there before. The error is ErrCoverage if that was too
// little.
func verify(h *history.History, cp *checkpoint.Checkpoint, d *Draft, to int) error {
	if err := d.Render(h.Policy.Redact); err != nil {
		return err
	}
	if !h.Policy.CheckCoverage {
		return nil
	}
	cov := coverageOf(h, cp, d, to)
	cp.Probe = &compaction.Probe{Held: cov.held, Of: cov.of}
	if lines := cov.repairs(d.Room.All - len(d.Text())); len(lines) > 0 {
		d.Summary.Repairs, d.begun = lines, nil
		cp.Probe.Repaired = len(lines)
		if err := d.Render(h.Policy.Redact); err != nil {
			return err
		}
	}
	if cp.Probe.Coverage() < h.Policy.MinCoverage {
		return ErrCoverage
	}
	return nil
}
