package probe

import "strings"

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
