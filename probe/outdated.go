package probe

import (
	"strings"

	"killick/transcript"
)

// presentSections are those whose statements say how things are at the end.
var presentSections = map[string]bool{"state": true, "open": true}

// outdated reports whether a statement says how things are at the end, by a quote that only stands
// in results of calls that were made again and whose newest results do not have it.
func (x *Index) outdated(s *Statement, at []int) bool {
	if !presentSections[s.Section] {
		return false
	}
	for _, i := range at {
		if strings.Contains(x.texts[i], s.Quote) && !x.gone(i, s.Quote) {
			return false
		}
	}
	return true
}

// gone reports whether a message is the result of a call that was made again, whose newest result
// is whole and does not have a one-line text.
func (t *turns) gone(i int, text string) bool {
	n := t.read.Answered(i)
	if n < 0 || t.read.Calls[n].Made().HasTasks() {
		return false
	}
	again, ok := t.newestSame()[t.read.Calls[n].Key()]
	if !ok || t.read.Calls[again].Caller <= i {
		return false
	}
	c := &t.read.Calls[again]
	return !c.MayHaveFailed() && !transcript.KeptOf(t.read.Text(c.Result)).Cut &&
		!strings.Contains(t.texts[c.Result], text)
}

// newestSame returns, by key, the newest of the same calls that has a result with the content.
func (t *turns) newestSame() map[string]int {
	if t.newest == nil {
		t.newest = map[string]int{}
		for i := range t.read.Calls {
			if c := &t.read.Calls[i]; c.Result >= 0 && !c.Stub {
				t.newest[c.Key()] = i
			}
		}
	}
	return t.newest
}
