package quotes

import (
	"fmt"
	"strings"

	"killick/summary/excerpt"
	"killick/transcript"
	"killick/transcript/partial"
)

// maxEnd limits each end of what a failed command printed, in bytes.
const maxEnd = MaxQuote / 2

// countForm marks where a quote of an output was cut that has several lines.
const countForm = " [… %d lines in all …] "

// FailedRun reports whether a call is that of a command that failed and whose output is in the
// result. A call that waits for a command that goes on, or writes to it, states its exit code, too.
func FailedRun(status transcript.Status, exit int, runs, background bool) bool {
	return status == transcript.Failed && (runs || exit >= 0) && !background
}

// printed returns both ends of what a failed command printed, or all of it if it is short. If its
// agent left out a part, the number of lines is not known, and of an end only what was kept is. A
// call that reads on does not return all of it either.
func (s *Source) printed(c *transcript.Call) string {
	text := strings.TrimSpace(s.SafeOutput(c))
	kept, mark := partial.Of(text), excerpt.Gap
	if transcript.LastLine(text) == "" || !excerpt.HasWords(text) {
		return ""
	}
	if !kept.Cut {
		if short := len(text) <= 2*excerpt.MostRead; short && len(excerpt.Line(text)) <= 2*maxEnd {
			return excerpt.Line(text)
		}
		// without redaction, which may join lines
		all := strings.TrimSpace(s.Output(c, s.Text(c.Result)))
		if n := strings.Count(all, "\n"); n > 0 && c.Polls() == "" {
			mark = fmt.Sprintf(countForm, n+1)
		}
	}
	first := excerpt.FirstWords(excerpt.Line(excerpt.Head(kept.Head, excerpt.MostRead)), maxEnd)
	last := excerpt.LastWords(excerpt.Line(excerpt.Tail(kept.Tail, excerpt.MostRead)), maxEnd)
	if first+last == "" {
		return ""
	}
	return excerpt.BothEnds(first, mark, last)
}
