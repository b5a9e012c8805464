package probe

import (
	"slices"
	"strings"
	"unicode"

	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// Index holds the content of replaced messages, to look up quotes, values and words. It
// is built once for the messages, in linear time. It is not safe for concurrent use.
type Index struct {
	first   int              // the number of the first message
	raw     []string         // by message: all of its text
	texts   []string         // the same, as one line
	writers []speech.Speaker // by message
	typed   map[int]string   // by message of a user: what they typed in it, as one line
	values  map[key][]int    // the messages that hold a value
	words   *lexicon
	linked  [][]int // by message: the calls and results that belong to it

	ownWords []*lexicon                   // by message: its own words, read at first use
	counts   []map[counted]struct{}       // by message: its numbers, read at first use
	names    map[string]struct{}          // the names of all messages, read at first use
	scripts  map[*unicode.RangeTable]bool // of the letters of all messages, read at first use
}

// NewIndex reads messages, whole groups of calls and results. first is the number of
// the first of them: messages of a conversation are numbered from 1, without leading
// instructions.
func NewIndex(msgs []view.Message, first int) *Index {
	x := &Index{
		first: first, raw: make([]string, len(msgs)), texts: make([]string, len(msgs)),
		writers: make([]speech.Speaker, len(msgs)), typed: map[int]string{},
		values: map[key][]int{}, words: newLexicon(), linked: make([][]int, len(msgs)),
		ownWords: make([]*lexicon, len(msgs)), counts: make([]map[counted]struct{}, len(msgs)),
	}
	t := transcript.ReadAll(msgs)
	calls := make([]string, len(msgs))
	for i := range t.Calls {
		c := &t.Calls[i]
		// The arguments as the client wrote them, and decoded: a model may quote either.
		calls[c.Caller] += "\n" + c.Name + " " + c.Raw + "\n" + c.Decoded()
		if of := c.Made(); c.Alone() {
			calls[c.Caller] += "\n" + of.Name + " " + of.Raw
		}
		if linked := x.linked[c.Caller]; c.Result >= 0 && !slices.Contains(linked, c.Result) {
			x.linked[c.Caller] = append(x.linked[c.Caller], c.Result)
			x.linked[c.Result] = append(x.linked[c.Result], c.Caller)
		}
	}
	for i := range msgs {
		text := strings.ToValidUTF8(msgs[i].Text()+calls[i], "\uFFFD")
		m := t.Message(i)
		if x.writers[i] = m.Speaker; m.Speaker == speech.Person {
			x.typed[i] = oneLine(strings.ToValidUTF8(m.Words(), "\uFFFD"))
		}
		x.raw[i], x.texts[i] = text, oneLine(text)
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

// indexOf returns the index of a message; ok is false for an invalid number.
func (x *Index) indexOf(number int) (i int, ok bool) {
	i = number - x.first
	return i, i >= 0 && i < len(x.texts)
}

// withQuote returns the messages whose text contains a one-line quote.
func (x *Index) withQuote(quote string) (at []int) {
	for i, text := range x.texts {
		if strings.Contains(text, quote) {
			at = append(at, i)
		}
	}
	return at
}

// withResults returns messages with the calls and results that belong to them.
func (x *Index) withResults(at []int) []int {
	all := slices.Clone(at)
	for _, i := range at {
		all = append(all, x.linked[i]...)
	}
	return all
}

// near returns messages with what belongs to them and what directly precedes them: an
// answer is understood from what it answers.
func (x *Index) near(at []int) []int {
	all := x.withResults(at)
	for _, i := range at {
		for before := max(0, i-nearMessages); before < i; before++ {
			all = append(all, before)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nearMessages is how many messages before the named ones count as near.
const nearMessages = 3

// holdQuote reports whether one of the messages with these numbers contains a one-line
// quote.
func (x *Index) holdQuote(numbers []int, quote string) bool {
	return slices.ContainsFunc(numbers, func(number int) bool {
		i, ok := x.indexOf(number)
		return ok && strings.Contains(x.texts[i], quote)
	})
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
