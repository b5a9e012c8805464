package summary

import (
	"killick/summary/describe"
	"killick/summary/quotes"
	"killick/transcript"
)

// Unanswered is a call that has no result: it is not known whether it ran.
type Unanswered struct {
	At   int    `json:"message"`
	Text string `json:"text"`
	Key  string `json:"key"` // of the tool and all arguments
}

// unanswered returns those of the calls that have no result, newest first. left reports whether
// some were left out because there were too many.
func unanswered(s *quotes.Source, calls []transcript.Call) (list []Unanswered, left bool) {
	for i := len(calls) - 1; i >= 0; i-- {
		c := &calls[i]
		switch {
		case c.Result >= 0 || c.Via != nil || c.Hosted:
		case len(list) == maxEntries:
			return list, true
		default:
			text := s.Redacted(describe.Call(s.SafeCall(c), describe.MaxArguments))
			list = append(list, Unanswered{c.Caller + 1, text, keyOf(c)})
		}
	}
	return list, false
}

// unanswered returns the section of the calls without a result.
func (sum *Summary) unanswered(dir string, room int) section {
	l := entryList{room: room, most: maxOpen}
	for i := range sum.Unanswered {
		u := &sum.Unanswered[i]
		l.add(func() string { return sum.entryOf(dir, u.At, u.Text) })
	}
	return section{title: TitleUnanswered, entries: l.entries, share: 8, most: maxOpen,
		older: sum.Older.Unanswered}
}

// calledAgain returns the last message that makes the call of an outcome again and has no result of
// it, 0 if there is none.
func (sum *Summary) calledAgain(o *Outcome) int {
	for i := range sum.Unanswered {
		if u := &sum.Unanswered[i]; u.Key == o.Key && u.At > o.At {
			return u.At
		}
	}
	return 0
}
