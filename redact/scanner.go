package redact

import "strings"

// Match is a credential in a text.
type Match struct {
	Start, End int    // byte offsets
	Kind       string // such as "github token"
}

// scanner is one pass over a text. It examines every occurrence of a keyword; what it reads there
// is limited in length or remembered for the next occurrence.
type scanner struct {
	text  string
	found []Match
	past  int // the end of the last match: nothing before it is read again
	value run // the last unquoted value
}

// run is a part of the text whose end is known.
type run struct {
	start, end int
	trimmed    int // the end without the punctuation of a sentence, which is no part of a value
}

const placeholderStart = "[redacted: "

// try applies the rules of the keyword at text[start:end].
func (sc *scanner) try(k *keyword, start, end int) {
	if start < sc.past {
		return
	}
	for _, r := range k.rules {
		if from, to, ok := r.match(sc.text, start, sc.past); ok {
			sc.add(Match{from, to, r.kind})
			return
		}
	}
	if k.context != nil {
		if m, ok := k.context(sc, start, end); ok && m.Start >= sc.past {
			sc.add(m)
		}
	}
}

func (sc *scanner) add(m Match) {
	sc.found = append(sc.found, m)
	sc.past = m.End
}

// keyword is a string that announces a credential, in lower case.
type keyword struct {
	text  string
	rules []*rule // those whose literals begin with text, the longest first
	// context finds a credential without a format of its own after the word, or around it.
	context func(sc *scanner, start, end int) (m Match, ok bool)
}

// runOf returns the end of the unquoted value that starts at from. The length of a run is
// determined once, for all starts in it.
func (sc *scanner) runOf(from int) int {
	if from >= sc.value.start && from < sc.value.end {
		return sc.value.end
	}
	to := from
	for to < len(sc.text) && unquoted.has(sc.text[to]) {
		to++
	}
	trimmed := from + len(strings.TrimRight(sc.text[from:to], ".:!?"))
	sc.value = run{from, to, trimmed}
	return to
}

// unquoted is the set of bytes in a value without quotes.
var unquoted = func() (c class) {
	for b := byte('!'); b <= '~'; b++ {
		if strings.IndexByte("\"'`,;()[]{}<>&|\\", b) < 0 {
			c.add(b)
		}
	}
	return c
}()

// skipAny returns the index after at most this many characters of a set.
func skipAny(s string, i int, set string, most int) int {
	for ; most > 0 && i < len(s) && strings.IndexByte(set, s[i]) >= 0; most-- {
		i++
	}
	return i
}
