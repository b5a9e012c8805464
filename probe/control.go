package probe

import (
	"slices"
	"strings"
)

// Checks are statements that a model verifies, with controls among them: statements beside the
// quotes of others, which say nothing of the kind. A model that supports one does not compare
// statements with quotes, so its other answers prove nothing.
type Checks struct {
	Shown    []Statement
	Others   []Other // passages of other messages, for all of them
	controls []int   // their indexes, in order
}

// maxControls is how many controls a model sees at most.
const maxControls = 2

// noQuote is the quote of a control if each statement has something in common with all quotes.
const noQuote = "…"

// WithControls returns statements with at least one control among them.
func WithControls(statements []Statement) Checks {
	c := Checks{Shown: slices.Clone(statements)}
	var made []Statement
	beside := func(s Statement, quote string, of *Statement) {
		s.Quote, s.Passage, s.Writer, s.At = quote, quote, of.Writer, of.At
		s.Related = Related{}
		made = append(made, s)
	}
	for i := range statements {
		if len(made) == maxControls {
			break
		}
		if other, ok := unrelatedTo(statements, i); ok {
			beside(statements[i], other.Quote, other)
		}
	}
	if len(made) == 0 && len(statements) > 0 {
		beside(statements[len(statements)/2], noQuote, &statements[0])
	}
	for k, s := range made {
		at := (k+1)*len(statements)/(len(made)+1) + k
		c.Shown = slices.Insert(c.Shown, at, s)
		c.controls = append(c.controls, at)
	}
	return c
}

// unrelatedTo returns another statement, whose quote shares nothing with the i-th and its quote.
func unrelatedTo(statements []Statement, i int) (*Statement, bool) {
	s := &statements[i]
	for by := range len(statements) - 1 {
		other := &statements[(i+len(statements)-1-by)%len(statements)]
		if !related(s.Text, other.Quote) && !related(s.Quote, other.Quote) {
			return other, true
		}
	}
	return nil, false
}

// Answers returns the answers about the statements alone. ok is false if a control is supported.
func (c *Checks) Answers(answers []Support) (own []Support, ok bool) {
	for i, answer := range answers {
		if !slices.Contains(c.controls, i) {
			own = append(own, answer)
		} else if answer == Supported {
			return nil, false
		}
	}
	return own, true
}

// related reports whether a one-line text has a word of its quote, in this form or another, or a
// value of it. Without either, the text is about something else than the quote.
func related(text, quote string) bool {
	return sharesWord(text, quote) || sharesValue(text, quote)
}

// sharesWord compares the longer words, and all words if one of the texts has no longer ones. Of
// scripts without spaces it compares pairs of letters, and single ideographs.
func sharesWord(text, quote string) bool {
	of := newLexicon()
	of.add(quote)
	longer := hasLonger(text) && hasLonger(quote)
	inQuote := func(r rune) bool { return ideograph(r) && strings.ContainsRune(quote, r) }
	shared := false
	eachWord(text, func(w string, pair bool) {
		switch {
		case shared:
		case pair:
			known := of.has(w) && strings.ContainsFunc(w, func(r rune) bool { return !hiragana(r) })
			shared = known || strings.ContainsFunc(w, inQuote)
		default:
			shared = (rare(w) || !longer) && of.holds(w, false)
		}
	})
	return shared
}

// hasLonger reports whether a text has a word that is long enough to be characteristic.
func hasLonger(text string) (found bool) {
	eachWord(text, func(w string, pair bool) { found = found || pair || rare(w) })
	return found
}

// sharesValue compares typed values, and numbers with the words beside them.
func sharesValue(text, quote string) bool {
	held := map[key]bool{}
	eachValue(quote, func(v Value) {
		for _, k := range v.indexed {
			held[k] = true
		}
		for _, k := range v.parents {
			held[k] = true
		}
	})
	for _, v := range Values(text) {
		if v.Kind == Code && strings.Contains(quote, v.Text) {
			return true
		}
		for _, k := range v.lookup {
			if held[k] {
				return true
			}
		}
	}
	counts := countsOf(quote)
	for c := range countsOf(text) {
		if _, ok := counts[c]; ok {
			return true
		}
	}
	return false
}
