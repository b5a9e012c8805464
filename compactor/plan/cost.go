package plan

// The cost of a form. The provider has the present form in its prompt cache. What a new form
// changes must be written again once; after that, each turn is cheaper because it sends less. What
// was hidden and is needed after all is fetched again. All amounts are in ten-thousandths of a
// token of fresh input.

// leastTurns is the least number of further turns that is expected of a conversation.
const leastTurns = 4

// Outlook has the expected number of further turns, and the prices.
type Outlook struct {
	Turns  int  // expected further turns
	Cold   bool // the provider's cache has expired: this request is written whole in any form
	Prices Prices
}

// NewOutlook returns the outlook of a conversation that has had this many turns. It is expected to
// have as many again.
func NewOutlook(turns int, cold bool, prices Prices) Outlook {
	return Outlook{Turns: max(turns, leastTurns), Cold: cold, Prices: prices}
}

// costOf returns the expected cost of each further turn in a form: what the turn sends again, and
// its share of the form's one-time cost.
func (l Outlook) costOf(o Option) int {
	once := l.Prices.Rewrite(o.Rewritten) * margin / 100
	if l.Cold {
		once = l.Prices.Rewrite(o.After)
	}
	return l.Prices.Hold(o.After) + (once+Fresh*o.Loss*margin/100)/l.Turns
}

// margin is the factor on a form's one-time cost, in hundredths: the conversation may end before
// the form has paid off.
const margin = 150
