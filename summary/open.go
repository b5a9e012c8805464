package summary

import (
	"strings"

	"killick/summary/describe"
	"killick/summary/excerpt"
	"killick/transcript"
)

// Both ends of what a failed command printed are quoted. Many programs state the reason first, such
// as compilers and interpreters, many last, and the last line alone is often a summary or advice
// that is the same for all failures.

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
				o.again = sum.calledAgain(&o)
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
