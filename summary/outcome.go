package summary

import (
	"fmt"
	"strconv"
	"strings"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/summary/quotes"
	"killick/transcript"
)

// Label begins the entry of an outcome: the message, or the one that ran the command and the last
// that read on, and the tool.
func (o *Outcome) Label() string {
	if o.Began != 0 {
		return fmt.Sprintf("%d-%d %s(", o.Began, o.At, o.Tool)
	}
	return fmt.Sprintf("%d %s(", o.At, o.Tool)
}

// line describes the outcome of the last run of a call. It names the folder of a command that was
// run in several.
func (o *Outcome) line(several map[string]bool) string {
	var b strings.Builder
	b.WriteString(o.Label() + o.What)
	if o.Folder != "" && several[o.Key] {
		b.WriteString(", in " + describe.ShortPath(o.Folder, describe.MaxArguments/2))
	}
	b.WriteString(")" + Ending(o.Status, o.Exit))
	if o.later > 0 {
		fmt.Fprintf(&b, ", later %s of this file (%d)", o.Tool, o.later)
	}
	if o.again > 0 {
		fmt.Fprintf(&b, ", called again (%d) without a result", o.again)
	}
	if o.Session != "" && o.Status == transcript.Unknown && !o.Background {
		b.WriteString(runningIn + o.Session)
	}
	// Of a file access, the earlier successes were not counted.
	switch {
	case o.Times < 2 || o.FileAccess:
	case o.Recent:
		fmt.Fprintf(&b, ", made at least %d times", o.Times)
	default:
		fmt.Fprintf(&b, ", made %d times", o.Times)
		if o.Fails > 0 && !(o.Failed() && o.Fails == o.Times) {
			fmt.Fprintf(&b, ", %d failed", o.Fails)
			if !o.Runs && !o.Failed() { // the same call may have been about another page
				fmt.Fprintf(&b, " (last: %d)", o.FailedAt)
			}
		}
	}
	if o.Output != "" && o.Status == transcript.Refused {
		b.WriteString(refusedWith + o.Output)
	} else if o.Logged {
		b.WriteString(loggedLast + o.Output)
	} else if o.Output != "" {
		if o.Runs && !o.Background && !o.Failed() && !o.Whole {
			b.WriteString("; last line: " + o.Output)
		} else if o.Background || o.Failed() || o.Whole && o.Exit >= 0 {
			b.WriteString("; it returned: " + o.Output)
		} else {
			b.WriteString(" → " + o.Output)
		}
	}
	return b.String()
}

// runningIn precedes the session of a command that had not ended.
const runningIn = " → still running then, ID "

// loggedLast precedes the last line of a log that states an error.
const loggedLast = "; last line of level error or worse: "

// refusedWith precedes what a person said when they did not let a call run.
const refusedWith = "; the user said: "

// Ending describes how a call ended, "" if its result does not show it.
func Ending(status transcript.Status, exit int) string {
	switch {
	case exit >= 0:
		return " → exit code " + strconv.Itoa(exit)
	case status == transcript.Refused:
		return " → not let run"
	case status == transcript.Failed:
		return " → reported an error"
	case status == transcript.Stopped:
		return " → stopped"
	}
	return ""
}

// shorter is line in about n bytes. Only the arguments and the output are cut: half of how a call
// ended would be another ending.
func (o *Outcome) shorter(n int, several map[string]bool) string {
	short := *o
	entry := short.line(several)
	if over := len(entry) - n; over > 0 {
		short.What = excerpt.Cut(o.What, max(len(o.What)-over, n/4))
		entry = short.line(several)
	}
	if over := len(entry) - n; over > 0 && o.Output != "" {
		short.Output = o.shorterOutput(max(len(o.Output)-over, n/4))
		entry = short.line(several)
	}
	return entry
}

// shorterOutput is what is stated of the result, in about n bytes.
func (o *Outcome) shorterOutput(n int) string {
	if o.failedRun() {
		return excerpt.ShorterEnds(o.Output, n)
	}
	return excerpt.Cut(o.Output, n)
}

func (o *Outcome) failedRun() bool {
	return quotes.FailedRun(o.Status, o.Exit, o.Runs, o.Background)
}
