package summary

import (
	"strings"

	"killick/summary/excerpt"
	"killick/transcript"
)

// data returns the calls that neither named files nor ran commands, and those that may have failed
// to access a file: first those that asked a person, whose answer may be a decision, and one of
// which is always shown. Then reports; the newest two may take all room that the section has. Then
// those whose result is shown whole: a value or a confirmation needs no second call, the ends of a
// page do. What replies cite is beside these, by message. Of the others, the last call of each tool
// comes first: many files read from a host leave room for the one issue that they were read for.
func (sum *Summary) data(room int) section {
	s := section{title: TitleData, share: 8, most: maxData,
		older: sum.Older.Calls || sum.Older.Cited}
	var answers, reports, whole, last, older []*Outcome
	seen := map[string]bool{}
	for i := range sum.Calls {
		o := &sum.Calls[i]
		switch {
		case o.Runs || o.Failed() || o.FileAccess && o.Output == "":
		case transcript.AsksPerson(o.Tool) && o.Output != "":
			answers = append(answers, o)
		case transcript.ReturnsReport(o.Tool):
			reports = append(reports, o)
		case o.Output != "" && !strings.Contains(o.Output, strings.TrimSpace(excerpt.Gap)):
			whole = append(whole, o)
		case seen[o.Tool]:
			older = append(older, o)
		default:
			last, seen[o.Tool] = append(last, o), true
		}
	}
	if len(answers) > 0 {
		s.required, s.share = true, 16
		s.shorter = func(n int) string { return answers[0].shorter(n, nil) }
	}
	if len(reports) > 0 {
		s.share = 24
	}
	most := room * s.share / 100 / min(max(len(reports), 1), 2)
	l := entryList{room: room, most: maxData}
	add := func(calls ...*Outcome) {
		for _, o := range calls {
			l.add(func() string { return o.line(nil) })
		}
	}
	cited := sum.Cited
	citedFrom := func(message int) { // on
		for len(cited) > 0 && cited[0].At >= message {
			l.add(cited[0].Line)
			cited = cited[1:]
		}
	}
	add(answers...)
	for _, o := range reports {
		l.add(func() string { return o.shorter(most, nil) })
	}
	for _, o := range whole {
		citedFrom(o.At + 1)
		add(o)
	}
	citedFrom(0)
	add(last...)
	add(older...)
	s.entries = l.entries
	return s
}
