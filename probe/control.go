package probe

import (
	"hash/fnv"
	"slices"
	"strings"

	"killick/probe/normal"
	"killick/probe/value"
)

// Checks are statements that a model verifies, with controls among them: statements beside the
// quotes of others, which say nothing of the kind. A model that supports one does not compare
// statements with quotes, so its other answers prove nothing.
type Checks struct {
	Shown    []Statement
	Others   []Other // passages of other messages, for all of them
	controls []int   // their indexes, in order
}

// maxControls is how many controls a model sees at most. One that answers at random supports none
// of them once in 256 times.
const maxControls = 8

// noQuote is the quote of a control if there are too few others.
const noQuote = "…"

// WithControls returns statements with controls among them: one at either end, so that answers to
// the first or the last statements include one, and others at places that follow from their texts.
func WithControls(statements []Statement) Checks {
	made := controlsOf(statements)
	c := Checks{Shown: make([]Statement, 0, len(statements)+len(made))}
	for k, control := range made {
		at := placeOf(k, len(made), len(statements), control.Text+control.Quote)
		c.Shown = append(c.Shown, statements[len(c.Shown)-k:at]...)
		c.controls = append(c.controls, len(c.Shown))
		c.Shown = append(c.Shown, control)
	}
	c.Shown = append(c.Shown, statements[len(c.Shown)-len(made):]...)
	return c
}

// placeOf returns how many of n statements precede the k-th of several controls.
func placeOf(k, of, n int, text string) int {
	if k == 0 || k == of-1 {
		return n * min(k, 1)
	}
	from, to := k*n/of, (k+1)*n/of
	return from + int(hash(text)%uint64(to-from+1))
}

// hash returns a number for a text, on every machine the same.
func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64() >> 11 // its lowest bits depend on few of the text's
}

// controlsOf returns the controls of statements: first with the quotes of others that have nothing
// in common with them, then without a quote.
func controlsOf(statements []Statement) (made []Statement) {
	for i, s := range statements {
		if by, ok := unrelatedTo(statements, i); ok && len(made) < maxControls {
			s.Quote, s.Passage, s.Writer, s.At = by.Quote, by.Quote, by.Writer, by.At
			s.Related = Related{}
			made = append(made, s)
		}
	}
	for _, s := range statements[:min(len(statements), maxControls-len(made))] {
		s.Quote, s.Passage, s.Related = noQuote, noQuote, Related{}
		made = append(made, s)
	}
	return made
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

// Answers returns the answers about the statements alone. ok is false unless each control is
// answered, and not supported.
func (c *Checks) Answers(answers []Support) (own []Support, ok bool) {
	for i := range c.Shown {
		answer := Unanswered
		if i < len(answers) {
			answer = answers[i]
		}
		switch {
		case !slices.Contains(c.controls, i):
			own = append(own, answer)
		case answer != Opposed && answer != Insufficient:
			return nil, false
		}
	}
	return own, true
}

// related reports whether a one-line text has a word of its quote, in any form, or one of its
// values. Without either, the text is not about what the quote says.
func related(text, quote string) bool {
	return sharesWord(text, quote) || sharesValue(text, quote)
}

// sharesWord compares the longer words, and all words if one of the texts has no longer ones. Of
// scripts without spaces it compares pairs of letters, and single ideographs.
func sharesWord(text, quote string) bool {
	of := newLexicon()
	of.add(quote)
	longer := hasLonger(text) && hasLonger(quote)
	inQuote := func(r rune) bool { return normal.Ideograph(r) && strings.ContainsRune(quote, r) }
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
	held := map[value.Key]bool{}
	value.Each(quote, func(v value.Value) {
		for _, k := range v.Indexed {
			held[k] = true
		}
		for _, k := range v.Parents {
			held[k] = true
		}
	})
	for _, v := range value.In(text) {
		if v.Kind == value.Code && strings.Contains(quote, v.Text) {
			return true
		}
		for _, k := range v.Lookup {
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
