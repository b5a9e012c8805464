package summary

import (
	"fmt"
	"strings"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/transcript"
	"killick/transcript/partial"
)

// Both ends of what a failed command printed are quoted. Many programs state the reason first, such
// as compilers and interpreters, many last, and the last line alone is often a summary or advice
// that is the same for all failures.

// maxEnd limits each end of what a failed command printed, in bytes.
const maxEnd = maxQuote / 2

// countForm marks where a quote of an output was cut that has several lines.
const countForm = " [… %d lines in all …] "

// failedRun reports whether a call is that of a command that failed and whose output is in the
// result. A call that waits for a command that goes on, or writes to it, states its exit code, too.
func failedRun(status transcript.Status, exit int, runs, background bool) bool {
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

// open returns the calls whose last run failed or was not allowed, read-only ones last. If what
// commands printed takes too much room, less of it is shown of all but the first. Paths of
// files are relative to dir.
func (sum *Summary) open(dir string, room int, several map[string]bool) section {
	s := section{title: TitleOpen, required: true, share: 16, most: maxOpen}
	var failed []Outcome
	size := 0
	for _, readOnly := range []bool{false, true} {
		for i := range sum.Calls {
			if o := sum.Calls[i]; o.Failed() && (o.ReadOnly || o.FileAccess) == readOnly {
				if o.later = sum.laterUse(&o); o.FileAccess {
					o.What = describe.Under(dir, o.What)
				}
				failed = append(failed, o)
				if o.failedRun() {
					size += len(o.Output)
				}
			}
		}
	}
	l := entryList{room: room, most: maxOpen}
	for i := range failed {
		l.add(func() string {
			o := &failed[i]
			short := *o
			if i > 0 && size > room/shownQuotes && o.failedRun() {
				short.Output = excerpt.ShorterEnds(o.Output, olderQuote)
			}
			return short.line(several)
		})
	}
	if len(failed) > 0 {
		s.shorter = func(n int) string { return failed[0].shorter(n, several) }
	}
	s.entries = l.entries
	return s
}

// laterUse returns the last message in which the tool of a call that could not read or write a file
// was used on the same file and did not fail, 0 if there is none later than the call.
func (sum *Summary) laterUse(o *Outcome) int {
	if !o.FileAccess {
		return 0
	}
	patches := transcript.Patches(o.Tool)
	for i := range sum.Files {
		f := &sum.Files[i]
		if f.Path != o.What {
			continue
		}
		for _, u := range f.Uses { // the last is first
			same := u.Tool == o.Tool || patches && strings.HasPrefix(u.Tool, "patch ")
			if same && u.Last > o.At {
				return u.Last
			}
		}
	}
	return 0
}
