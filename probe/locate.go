package probe

import "slices"

// Locate fills in the messages of statements that name none, or none that contains the
// quote, from the quote itself: the first message that contains it and all values of the
// statement, else the first that contains it. A statement whose quote is nowhere, or that
// names too many messages, is left for Ground to drop.
//
// A model that was asked after the conversation itself sees no numbers: then the quote is
// the anchor.
func (x *Index) Locate(statements []Statement) []Statement {
	located := slices.Clone(statements)
	for n := range located[:min(len(located), MaxStatements)] {
		s := &located[n]
		quote := oneLine(s.Quote)
		s.Messages = distinct(s.Messages)
		if len(s.Messages) > maxNamed || x.noEvidence(quote) != "" ||
			x.holdQuote(s.Messages, quote) {
			continue
		}
		at := x.withQuote(quote)
		if len(at) == 0 {
			continue
		}
		best := at[0]
		values := Values(oneLine(s.Text))
		for _, i := range at {
			if x.holdValues(values, x.withResults([]int{i})) {
				best = i
				break
			}
		}
		s.Messages = []int{best + x.first}
	}
	return located
}
