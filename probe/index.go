package probe

import (
	"slices"
	"strings"

	"killick/chat"
	"killick/transcript"
)

// Index holds what replaced messages say, to look up quotes, values and words in. It
// is built once for the messages, in time linear in their length. It is not safe for
// concurrent use.
type Index struct {
	first   int           // the number of the first message
	texts   []string      // by message: all that it says, as one line
	persons []bool        // by message: a person typed in it
	values  map[key][]int // the messages that hold a value
	words   *lexicon
	beside  [][]int // by message: the calls and results that belong together with it

	near []*lexicon // by message: its own words, read when they are first asked for
}

// NewIndex reads messages, whole groups of calls and results. first is the number of
// the first of them: messages of a conversation are numbered from 1, leading
// instructions apart.
func NewIndex(msgs []chat.Message, first int) *Index {
	x := &Index{
		first: first, texts: make([]string, len(msgs)), persons: make([]bool, len(msgs)),
		values: map[key][]int{}, words: newLexicon(), beside: make([][]int, len(msgs)),
		near: make([]*lexicon, len(msgs)),
	}
	t := transcript.ReadAll(msgs)
	calls := make([]string, len(msgs))
	for i := range t.Calls {
		c := &t.Calls[i]
		// As the client spelled the arguments, and decoded: a model may quote either.
		calls[c.Caller] += "\n" + c.Name + " " + c.Raw + "\n" + c.Decoded()
		if c.Result >= 0 {
			x.beside[c.Caller] = append(x.beside[c.Caller], c.Result)
			x.beside[c.Result] = append(x.beside[c.Result], c.Caller)
		}
	}
	for i := range msgs {
		text := strings.ToValidUTF8(msgs[i].Text()+calls[i], "\uFFFD")
		x.persons[i] = t.Message(i).Speaker == transcript.Person
		x.texts[i] = oneLine(text)
		x.words.add(text)
		eachValue(text, func(v Value) {
			for _, k := range v.wide {
				if at := x.values[k]; len(at) == 0 || at[len(at)-1] != i {
					x.values[k] = append(at, i)
				}
			}
		})
	}
	return x
}

// lexicon returns the words of one message.
func (x *Index) lexicon(i int) *lexicon {
	if x.near[i] == nil {
		x.near[i] = newLexicon()
		x.near[i].add(x.texts[i])
	}
	return x.near[i]
}

// place returns the index of a message, ok is false for a number of none.
func (x *Index) place(number int) (i int, ok bool) {
	i = number - x.first
	return i, i >= 0 && i < len(x.texts)
}

// holding returns the messages whose text holds a folded quote.
func (x *Index) holding(quote string) (at []int) {
	for i, text := range x.texts {
		if strings.Contains(text, quote) {
			at = append(at, i)
		}
	}
	return at
}

// around returns messages with the calls and results that belong to them.
func (x *Index) around(at []int) []int {
	all := slices.Clone(at)
	for _, i := range at {
		all = append(all, x.beside[i]...)
	}
	return all
}

// nearby returns messages with what belongs to them and what stands right before
// them: an answer is understood from what it answers.
func (x *Index) nearby(at []int) []int {
	all := x.around(at)
	for _, i := range at {
		for before := max(0, i-nearMessages); before < i; before++ {
			all = append(all, before)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nearMessages is how many messages before those named are near.
const nearMessages = 3

// supports reports whether a value stands in one of the messages.
func (x *Index) supports(v *Value, at []int) bool {
	if v.Kind == Code {
		return slices.ContainsFunc(at, func(i int) bool { return strings.Contains(x.texts[i], v.Text) })
	}
	for _, k := range v.keys {
		for _, i := range at {
			if _, ok := slices.BinarySearch(x.values[k], i); ok {
				return true
			}
		}
	}
	return false
}

// alters reports whether a value that stands in none of the messages differs little
// from one that does: the same file in another folder, another digit.
func (x *Index) alters(v *Value, at []int) bool {
	near := func(text string) bool {
		for _, like := range Values(text) {
			if like.Kind == v.Kind && x.supports(&like, at) {
				return true
			}
		}
		return false
	}
	if i := strings.LastIndexAny(v.Text, `/\`); i >= 0 && v.Kind == Path && near("./"+v.Text[i+1:]) {
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
			if changed[i] = c; c != was && near(string(changed)) {
				return true
			}
		}
		changed[i] = was
	}
	return false
}

// maxAltered bounds the digits that are changed to find what a value was.
const maxAltered = 8
