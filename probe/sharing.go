package probe

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"killick/probe/normal"
	"killick/probe/value"
)

// maxSpan bounds the words of a passage that are in a statement too, in bytes from the first to
// the last.
const maxSpan = 200

// maxMatches bounds the words of one message that are compared: the last ones are.
const maxMatches = 4096

// shared is a word or a value of later messages that is in a statement too, in this form or
// another.
type shared struct {
	by     statementSet
	in     int // texts
	last   int // of these
	weight int // the fewer texts have the word, the more
	value  bool
}

// statementSet has a bit for each statement.
type statementSet [2]uint64

// The set holds every statement that Ground reads.
const _ = uint(len(statementSet{})*64 - MaxStatements)

func (s *statementSet) add(i int)     { s[i/64] |= 1 << (i % 64) }
func (s statementSet) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s statementSet) empty() bool    { return s == statementSet{} }

// match is a place of a shared word.
type match struct{ at, word int }

// lookups find the statements that have a word or a value.
type lookups struct {
	own     []*lexicon // by statement
	all     *lexicon
	byKey   map[value.Key]statementSet
	known   map[string]int    // by word: its index in shared, -1 if no statement has it
	byValue map[value.Key]int // likewise
	shared  []shared
}

func newLookups(statements []Statement) *lookups {
	k := &lookups{all: newLexicon(), byKey: map[value.Key]statementSet{}, known: map[string]int{},
		byValue: map[value.Key]int{}}
	for i := range statements {
		k.own = append(k.own, newLexicon())
		k.addText(i, normal.Plain(statements[i].Text))
		k.addText(i, normal.Plain(statements[i].Quote))
	}
	return k
}

// addText adds the words and values of a text of a statement.
func (k *lookups) addText(statement int, text string) {
	k.own[statement].add(text)
	k.all.add(text)
	for _, v := range value.In(text) {
		for _, look := range v.Lookup {
			by := k.byKey[look]
			by.add(statement)
			k.byKey[look] = by
		}
	}
}

// word returns the index of a word in shared, -1 if no statement has it.
func (k *lookups) word(w string, pair bool) int {
	if pair && !strings.ContainsFunc(w, func(r rune) bool { return !hiragana(r) }) ||
		!pair && !rare(w) {
		return -1
	}
	if n, ok := k.known[w]; ok {
		return n
	}
	var by statementSet
	if k.all.holds(w, pair) {
		for i, own := range k.own {
			if own.holds(w, pair) {
				by.add(i)
			}
		}
	}
	k.known[w] = k.add(by, false)
	return k.known[w]
}

// value returns the index of a value in shared, -1 if no statement has it.
func (k *lookups) value(look value.Key) int {
	by, ok := k.byKey[look]
	if !ok {
		return -1
	}
	n, ok := k.byValue[look]
	if !ok {
		n = k.add(by, true)
		k.byValue[look] = n
	}
	return n
}

func (k *lookups) add(by statementSet, value bool) int {
	if by.empty() {
		return -1
	}
	k.shared = append(k.shared, shared{by: by, last: -1, value: value})
	return len(k.shared) - 1
}

// matches returns the shared words of the nth text, in order.
func (k *lookups) matches(n int, text string) (all []match) {
	add := func(at, word int) {
		if word < 0 {
			return
		}
		if w := &k.shared[word]; w.last != n {
			w.last = n
			w.in++
		}
		if all = append(all, match{at, word}); len(all) == 2*maxMatches {
			all = slices.Delete(all, 0, maxMatches)
		}
	}
	eachWordAt(text, func(at int, w string, pair bool) { add(at, k.word(w, pair)) })
	words := len(all)
	value.EachAt(text, func(at int, v value.Value) {
		for _, look := range v.Indexed {
			add(at, k.value(look))
		}
		for _, look := range v.Parents {
			add(at, k.value(look))
		}
	})
	if len(all) > words {
		slices.SortStableFunc(all, func(a, b match) int { return cmp.Compare(a.at, b.at) })
	}
	return all
}

// sharing chooses, for each statement, the passage that shares most with it, the newest that shares
// a word about as rare, and the newest with a value of it; then what the assistant wrote next.
func (l *others) sharing(statements []Statement, next []Other) {
	k := newLookups(statements)
	var found []foundIn
	for i := l.from; i < len(l.texts); i++ {
		for of, text := range l.cleaned(i).shown {
			found = append(found, foundIn{i, of, k.matches(len(found), text)})
		}
	}
	for i := range k.shared {
		k.shared[i].weight = bits.Len(uint(len(found) / k.shared[i].in))
	}
	var best, newest, named []Other
	for s := range statements {
		of, ok := l.indexOf(statements[s].At)
		if !ok {
			continue
		}
		all := l.spans(k, s, of, l.endOfPassage(&statements[s], of), found)
		slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(b.weight, a.weight) })
		part := func(n int) Other {
			in := &found[all[n].in]
			return l.part(in.message, in.of, all[n].start, all[n].end)
		}
		if len(all) > 0 {
			best = append(best, part(0))
		}
		rare, valued := newestOf(all)
		if rare > 0 {
			newest = append(newest, part(rare))
		}
		if valued > 0 && valued != rare {
			named = append(named, part(valued))
		}
	}
	for _, passages := range [][]Other{best, newest, named, next} {
		l.choose(passages, maxLater)
	}
}

// newestOf returns the newest span that shares a word at least half as rare as any, and the newest
// that shares a value; -1 if there is none.
func newestOf(all []span) (rare, valued int) {
	rarest := 0
	for _, one := range all {
		rarest = max(rarest, one.rarest)
	}
	rare, valued = -1, -1
	for n, one := range all {
		if one.value && (valued < 0 || one.in > all[valued].in) {
			valued = n
		}
		if 2*one.rarest >= rarest && (rare < 0 || one.in > all[rare].in) {
			rare = n
		}
	}
	return rare, valued
}

// foundIn are the shared words of one of the texts of a message.
type foundIn struct {
	message, of int
	matches     []match
}

// place is a position in one of the texts of a message.
type place struct{ of, at int }

// endOfPassage returns where the passage of a statement's quote ends in its message.
func (l *others) endOfPassage(s *Statement, i int) place {
	quote := normal.Plain(s.Quote)
	of := 1 + l.outsideOf(i, s.Quote)
	text := l.cleaned(i).shown[of]
	at := strings.Index(text, quote)
	if at < 0 || quote == "" {
		return place{of, len(text)}
	}
	end := at + len(quote)
	return place{of, end + endOfFirst(text[end:], maxBeside)}
}

// span is the part of a text that shares most with a statement.
type span struct {
	in, start, end int
	weight         int // of the shared words
	rarest         int // the weight of the rarest of them
	value          bool
}

// spans returns the spans of the messages after a statement, the newest first, of the other texts
// of its own message, and of the rest of its own text after a place.
func (l *others) spans(k *lookups, s, of int, after place, found []foundIn) (all []span) {
	inside := map[int]int{} // by word: how often it is in the part that is looked at
	for i := len(found) - 1; i >= 0 && found[i].message >= of; i-- {
		rest := found[i].message == of && found[i].of == after.of
		var own []match
		for _, m := range found[i].matches {
			if k.shared[m.word].by.has(s) && (!rest || m.at >= after.at) {
				own = append(own, m)
			}
		}
		best := span{in: i}
		weight, first := 0, 0
		clear(inside)
		for n, m := range own {
			if inside[m.word]++; inside[m.word] == 1 {
				weight += k.shared[m.word].weight
			}
			for ; m.at-own[first].at > maxSpan; first++ {
				out := own[first].word
				if inside[out]--; inside[out] == 0 {
					weight -= k.shared[out].weight
				}
			}
			best.rarest = max(best.rarest, k.shared[m.word].weight)
			best.value = best.value || k.shared[m.word].value
			if weight >= best.weight && n >= first {
				best.weight, best.start, best.end = weight, own[first].at, m.at
			}
		}
		if best.weight > 0 {
			all = append(all, best)
		}
	}
	return all
}
