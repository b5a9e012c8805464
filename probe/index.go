package probe

import (
	"slices"
	"strings"
	"unicode"

	"killick/view"
)

// Index holds the content of replaced messages, to look up quotes, values and words. It
// is built once for the messages, in linear time. It is not safe for concurrent use.
type Index struct {
	turns
	values map[key][]int // the messages that hold a value
	words  *lexicon

	ownWords []*lexicon                   // by message: its own words, read at first use
	counts   []map[counted]struct{}       // by message: its numbers, read at first use
	lowered  []string                     // the texts in lower case, read at first use
	names    map[string]struct{}          // the names of all messages, read at first use
	scripts  map[*unicode.RangeTable]bool // of the letters of all messages, read at first use
}

// NewIndex reads messages, whole groups of calls and results. first is the number of
// the first of them: messages of a conversation are numbered from 1, without leading
// instructions.
func NewIndex(msgs []view.Message, first int) *Index {
	x := &Index{
		turns: readTurns(msgs, first), values: map[key][]int{}, words: newLexicon(),
		ownWords: make([]*lexicon, len(msgs)), lowered: make([]string, len(msgs)),
		counts: make([]map[counted]struct{}, len(msgs)),
	}
	for i, text := range x.raw {
		x.words.add(text)
		eachValue(text, func(v Value) {
			x.add(v.indexed, i)
			x.add(v.parents, i)
		})
	}
	return x
}

// add adds a message under keys. Messages are added in order.
func (x *Index) add(keys []key, message int) {
	for _, k := range keys {
		if at := x.values[k]; len(at) == 0 || at[len(at)-1] != message {
			x.values[k] = append(at, message)
		}
	}
}

// wordsOf returns the words of one message.
func (x *Index) wordsOf(i int) *lexicon {
	if x.ownWords[i] == nil {
		x.ownWords[i] = newLexicon()
		x.ownWords[i].add(x.texts[i])
	}
	return x.ownWords[i]
}

// lower returns the text of a message in lower case, for the many quotations of a statement.
func (x *Index) lower(i int) string {
	if x.lowered[i] == "" {
		x.lowered[i] = lower(x.texts[i])
	}
	return x.lowered[i]
}

// holdValues reports whether each of the values occurs in one of the messages.
func (x *Index) holdValues(values []Value, at []int) bool {
	for i := range values {
		if !x.holdValue(&values[i], at) {
			return false
		}
	}
	return true
}

// holdValue reports whether a value occurs in one of the messages.
func (x *Index) holdValue(v *Value, at []int) bool {
	if v.Kind == Code {
		inText := func(i int) bool { return strings.Contains(x.texts[i], v.Text) }
		return slices.ContainsFunc(at, inText)
	}
	for _, k := range v.lookup {
		for _, i := range at {
			if _, ok := slices.BinarySearch(x.values[k], i); ok {
				return true
			}
		}
	}
	return false
}

// holdAltered reports whether a value that occurs in none of the messages differs little
// from one that does: the same file in another directory, another digit.
func (x *Index) holdAltered(v *Value, at []int) bool {
	held := func(text string) bool {
		return slices.ContainsFunc(Values(text), func(like Value) bool {
			return like.Kind == v.Kind && x.holdValue(&like, at)
		})
	}
	i := strings.LastIndexAny(v.Text, `/\`)
	if i >= 0 && v.Kind == Path && held("./"+v.Text[i+1:]) {
		return true
	}
	changed := []byte(v.Text)
	tried := 0
	for i := len(changed) - 1; i >= 0 && tried < maxAltered; i-- {
		was := changed[i]
		if !isDigit(was) {
			continue
		}
		tried++
		for c := byte('0'); c <= '9'; c++ {
			if changed[i] = c; c != was && held(string(changed)) {
				return true
			}
		}
		changed[i] = was
	}
	return false
}

// maxAltered bounds the digits that are changed to find what a value was.
const maxAltered = 8

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
