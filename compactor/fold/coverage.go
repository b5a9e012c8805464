package fold

import (
	"strconv"
	"strings"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/summary"
	"killick/transcript"
)

// Coverage says what share of what the replaced turns hold by structure stands in
// their record: the task, each request, files written, calls that failed, open items
// of the agent's list, pins. It is of the record as it was before anything was
// repaired, and says nothing of whether what stands there is told well.
type Coverage struct {
	Held, Of int
	missing  []string // lines that would mend it, the most needed first
}

// Bounds of what is added to a record.
const (
	MaxRepairs    = 8
	maxRepairLine = 400
)

// repairs returns the lines to add in at most room bytes.
func (c *Coverage) Repairs(room int) (lines []string) {
	for _, l := range c.missing {
		if room -= len(l) + len("- \n"); room < 0 || len(lines) == MaxRepairs {
			break
		}
		lines = append(lines, l)
	}
	return lines
}

// item takes in one thing that must be told, with the line that would.
func (c *Coverage) Item(held bool, repair string) {
	c.Of++
	if held {
		c.Held++
	} else {
		c.missing = append(c.missing, repair)
	}
}

// coverage holds the draft against the turns that it newly replaces.
func coverage(f *history.History, cp *checkpoint.Checkpoint, d *Draft, to int) *Coverage {
	from, text := f.Folded(), d.before+d.Text()
	kept := map[int]bool{}
	for _, k := range cp.KeptWith(d.Kept) {
		kept[k.Index] = true
	}
	cov := &Coverage{}
	for i := from; i < to; i++ {
		if f.Transcript.Messages[i].Role() != chat.User || f.Transcript.Message(i).Speaker != transcript.Person {
			continue
		}
		label := "\n- " + strconv.Itoa(i+1) + " " + string(transcript.Person) + ": "
		cov.Item(kept[i] || strings.Contains(text, label),
			strconv.Itoa(i+1)+" "+string(transcript.Person)+": "+summary.Line(f.Policy.Redact.Of(f.Transcript.Message(i).Words()), maxRepairLine))
	}
	coverCalls(f, cov, text, to)
	for i := range cp.Summary.Todos {
		if t := &cp.Summary.Todos[i]; t.Status != transcript.TodoDone {
			line := summary.Line(t.Text, maxRepairLine)
			cov.Item(strings.Contains(text, line), "todo "+string(t.Status)+" ("+strconv.Itoa(t.At+1)+"): "+line)
		}
	}
	return cov
}

// coverCalls covers the files that calls wrote, and the calls that failed and were
// not made again with success.
func coverCalls(f *history.History, cov *Coverage, text string, to int) {
	calls := f.Transcript.CallsBefore(to)
	stands := transcript.FollowUps(calls)
	seen := map[string]bool{}
	for n := len(calls) - 1; n >= 0; n-- {
		c := &calls[n]
		if stands[n].Open && c.Result < to && !seen[c.Key()] {
			seen[c.Key()] = true
			line := strconv.Itoa(c.Caller+1) + " " + f.Policy.Redact.Of(summary.Describe(c, maxRepairLine/2)) + summary.Ending(c.Status, c.Exit)
			cov.Item(strings.Contains(text, "\n- "+strconv.Itoa(c.Caller+1)+" "+summary.ToolName(c)+"("), line)
		}
		if c.Effect != transcript.Writes || c.Failed() || c.Result < 0 {
			continue
		}
		for _, p := range c.Paths {
			if seen["\x00"+p.Name] {
				continue
			}
			seen["\x00"+p.Name] = true
			name := summary.Line(p.Name, maxRepairLine)
			base := name[strings.LastIndexByte(name, '/')+1:]
			cov.Item(strings.Contains(text, base), summary.ToolName(c)+" ("+strconv.Itoa(c.Caller+1)+"): "+name)
		}
	}
}
