package probe

import (
	"slices"
	"strings"
	"unicode"

	"killick/probe/normal"
	"killick/probe/value"
	"killick/view"
)

// Index holds the content of replaced messages, to look up quotes, values and words. It
// is built once for the messages, in linear time. It is not safe for concurrent use.
type Index struct {
	turns
	values map[value.Key][]int // the messages that hold a value

	ownWords []*lexicon                   // by message: its own words, read at first use
	counts   []map[counted]struct{}       // by message: its numbers, read at first use
	lowered  []string                     // the texts in lower case, read at first use
	scripts  map[*unicode.RangeTable]bool // of the letters of all messages, read at first use
}

// NewIndex reads messages, whole groups of calls and results. first is the number of
// the first of them: messages of a conversation are numbered from 1, without leading
// instructions.
func NewIndex(msgs []view.Message, first int) *Index {
	x := &Index{
		turns: readTurns(msgs, first), values: map[value.Key][]int{},
		ownWords: make([]*lexicon, len(msgs)), lowered: make([]string, len(msgs)),
		counts: make([]map[counted]struct{}, len(msgs)),
	}
	for i, text := range x.raw {
		value.Each(text, func(v value.Value) {
			x.add(v.Indexed, i)
			x.add(v.Parents, i)
		})
	}
	return x
}

// add adds a message under keys. Messages are added in order.
func (x *Index) add(keys []value.Key, message int) {
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
		x.lowered[i] = normal.Lower(x.texts[i])
	}
	return x.lowered[i]
}

// holdValues reports whether each of the values occurs in one of the messages.
func (x *Index) holdValues(values []value.Value, at []int) bool {
	for i := range values {
		if !x.holdValue(&values[i], at) {
			return false
		}
	}
	return true
}

// holdValue reports whether a value occurs in one of the messages.
func (x *Index) holdValue(v *value.Value, at []int) bool {
	if v.Kind == value.Code {
		inText := func(i int) bool { return strings.Contains(x.texts[i], v.Text) }
		return slices.ContainsFunc(at, inText)
	}
	for _, k := range v.Lookup {
		for _, i := range at {
			if _, ok := slices.BinarySearch(x.values[k], i); ok {
				return true
			}
		}
	}
	return false
}

// Locate fills in the messages of statements that name none, or none that contains the quote: the
// first message that contains it. A statement whose quote is nowhere, or that names too many
// messages, is left for Ground to drop.
//
// A model that was asked after the conversation itself sees no numbers: then the quote is
// the anchor.
func (x *Index) Locate(statements []Statement) []Statement {
	located := slices.Clone(statements)
	for n := range located[:min(len(located), MaxStatements)] {
		s := &located[n]
		quote := normal.OneLine(s.Quote)
		s.Messages = distinct(s.Messages)
		if len(s.Messages) > maxNamed || quote == "" || x.holdQuote(s.Messages, quote) {
			continue
		}
		at := slices.IndexFunc(x.texts, func(text string) bool {
			return strings.Contains(text, quote)
		})
		if at >= 0 {
			s.Messages = []int{at + x.first}
		}
	}
	return located
}
