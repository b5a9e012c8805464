package fakeupstream

import "slices"

// The kinds that verify without comparing statements with quotes.
const (
	Rejecting Kind = "rejecting" // supports nothing
	Beginning Kind = "beginning" // supports the first half
	Ending    Kind = "ending"    // supports the last half
	Odd       Kind = "odd"       // supports statements with odd numbers
	Partial   Kind = "partial"   // answers, and supports, the first third alone
	Strange   Kind = "strange"   // also answers about statements that it was not shown
	Repeating Kind = "repeating" // answers about each statement twice
	Echoing   Kind = "echoing"   // writes what it was shown
	Injected  Kind = "injected"  // gives the answer that a quote orders: the second is supported
)

// CarelessVerifiers are all of them.
var CarelessVerifiers = []Kind{Rejecting, Beginning, Ending, Odd, Partial, Strange, Repeating,
	Echoing, Injected}

// verdict is an answer about a statement.
type verdict struct {
	Number  int    `json:"number"`
	Verdict string `json:"verdict"`
}

// careless returns the answers of a kind that does not compare; ok is false for others.
func (s *Scripted) careless(a asked) (all []verdict, ok bool) {
	n := len(a.statements)
	for i := range n {
		answer := verdict{i + 1, "contradicted"}
		switch s.Kind {
		case Beginning:
			ok = i < n/2
		case Ending:
			ok = i >= n/2
		case Odd:
			ok = i%2 == 0
		default:
			ok = s.Kind != Rejecting
		}
		if ok {
			answer.Verdict = "supported"
		}
		all = append(all, answer)
	}
	switch s.Kind {
	case Partial:
		all = all[:(n+2)/3]
	case Strange:
		all = append(all, verdict{n + 1, "supported"})
	case Repeating:
		all = append(all, all...)
	case Injected:
		all = []verdict{{2, "supported"}}
	}
	return all, slices.Contains(CarelessVerifiers, s.Kind)
}
