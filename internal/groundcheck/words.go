package groundcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

// The forms of quotes and of references to messages.
var (
	quoteForm = regexp.MustCompile(`^(\d+) (user|assistant)(?: ([\pL\pN_-]+))?: (.*)$`)
	placeForm = regexp.MustCompile(`^(task|latest request): message (\d+)(, kept above as it ` +
		`came|, kept above with a marked cut)?$`)
	aboveForm = regexp.MustCompile(`^last words: message (\d+), quoted above$`)
	modelForm = regexp.MustCompile(`^[^:( ]+ \((\d+(?:, \d+)*)\): .`)
	noPerson  = "no message of a person stands in these turns"
	noWords   = "the assistant has said and called nothing in these turns"
)

// quote checks a quote and returns its message. ok: it has the form of a quote of that speaker.
func (c *checker) quote(text, by string) (m *conversation.Message, ok bool) {
	found := quoteForm.FindStringSubmatch(text)
	if found == nil || found[2] != by {
		return nil, false
	}
	name, words := found[3], found[4]
	if c.count(kindQuote); quoted.IsCut(words) {
		c.count(kindCutQuote)
	}
	number, _ := strconv.Atoi(found[1])
	if m = c.within(number); m == nil {
		c.fault(rulePlace, "message %d is not among those replaced: %s", number, excerpt(text))
		return nil, true
	}
	if m.Role != by || by == "user" && !m.Person() {
		c.fault(ruleSpeaker, "message %d is not of the %s but of role %s: %s", number, by, m.Role,
			excerpt(text))
	}
	if name != "" && name != m.Name {
		c.fault(ruleSpeaker, "message %d is not of %s: %s", number, name, excerpt(text))
	}
	typed := by == "user" && quoted.Is(words, quoted.Fold(m.TypedWords()))
	if !typed && !quoted.Is(words, m.Fold()) {
		c.fault(ruleQuote, "message %d says something else: %s", number, excerpt(words))
	}
	return m, true
}

// personQuote checks a person's words.
func (c *checker) personQuote(text string) bool {
	m, ok := c.quote(text, "user")
	c.rec.entry = m
	return ok
}

// answered checks what a person's words are stated to answer: the last words of the assistant
// before them.
func (c *checker) answered(text string) bool {
	m, ok := c.quote(text, "assistant")
	if m == nil || c.rec.entry == nil {
		return ok
	}
	if last := c.wordsBefore(c.rec.entry.Number); last != m {
		c.fault(rulePlace, "message %d does not answer message %d: %s", c.rec.entry.Number,
			m.Number, excerpt(text))
	}
	return true
}

// wordsBefore returns the assistant's last words before a message, nil if a person wrote since.
func (c *checker) wordsBefore(number int) *conversation.Message {
	for n := number - 1; n > 0; n-- {
		if m := c.client.At(n); m.HasWords() {
			return m
		} else if m.Person() {
			return nil
		}
	}
	return nil
}

// place checks the stated places of the task and the latest request.
func (c *checker) place(text string) bool {
	if text == noPerson {
		c.count(kindPlace)
		if m := c.firstPerson(); m != nil {
			c.fault(rulePlace, "message %d is a person's", m.Number)
		}
		return true
	}
	found := placeForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(kindPlace)
	want := c.firstPerson()
	if found[1] == "latest request" {
		want = c.lastPerson()
	}
	number, _ := strconv.Atoi(found[2])
	if want == nil || want.Number != number {
		c.fault(rulePlace, "%s; want %s", text, numberOf(want))
	}
	c.keptAs(number, found[3])
	return true
}

// keptAs checks how a message is stated to be sent along with the record.
func (c *checker) keptAs(number int, stated string) {
	for _, k := range c.rec.kept {
		if k.of.Number == number {
			if want := map[bool]string{true: ", kept above with a marked cut",
				false: ", kept above as it came"}[k.cut]; stated != want {
				c.fault(rulePlace, "message %d is stated to be %q, want %q", number, stated, want)
			}
			return
		}
	}
	if stated != "" {
		c.fault(rulePlace, "message %d does not stand above", number)
	}
}

// firstPerson returns the first replaced message of a person, nil if there is none.
func (c *checker) firstPerson() *conversation.Message {
	for _, m := range c.client.Messages[:c.rec.last] {
		if m.Person() {
			return m
		}
	}
	return nil
}

func (c *checker) lastPerson() *conversation.Message {
	for n := c.rec.last; n > 0; n-- {
		if m := c.client.At(n); m.Person() {
			return m
		}
	}
	return nil
}

func numberOf(m *conversation.Message) string {
	if m == nil {
		return "none"
	}
	return "message " + strconv.Itoa(m.Number)
}

// stateQuote checks the assistant's last words.
func (c *checker) stateQuote(text string) bool {
	m, ok := c.quote(text, "assistant")
	if m != nil {
		c.rec.entry = m
		if last := c.lastWords(); last != m {
			c.fault(rulePlace, "the assistant's last words are %s: %s", numberOf(last),
				excerpt(text))
		}
	}
	return ok
}

// quotedAbove checks that the assistant's last words stand beside a message of a person.
func (c *checker) quotedAbove(text string) bool {
	found := aboveForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(kindPlace)
	if last := c.lastWords(); last == nil || strconv.Itoa(last.Number) != found[1] {
		c.fault(rulePlace, "the assistant's last words are %s: %s", numberOf(last), text)
	}
	after := "  after " + found[1] + " assistant"
	if !slices.ContainsFunc(c.rec.lines, func(l string) bool {
		return strings.HasPrefix(l, after)
	}) {
		c.fault(rulePlace, "message %s is not quoted", found[1])
	}
	return true
}

// lastWords returns the last message with words of the assistant in the record's span, or else
// before it.
func (c *checker) lastWords() *conversation.Message {
	for n := c.rec.last; n > 0; n-- {
		if m := c.client.At(n); m.HasWords() {
			return m
		}
	}
	return nil
}

func (c *checker) silence(text string) bool {
	if text != noWords {
		return false
	}
	c.count(kindPlace)
	if m := c.lastWords(); m != nil && m.Number >= c.rec.first {
		c.fault(rulePlace, "the assistant says something in message %d", m.Number)
	}
	if calls := c.client.Between(c.rec.first, c.rec.last); len(calls) > 0 {
		c.fault(rulePlace, "message %d makes a call", calls[0].Caller.Number)
	}
	return true
}

// closing checks the assistant's closing words before a request.
func (c *checker) closing(text string) bool {
	m, ok := c.quote(text, "assistant")
	if m == nil {
		return ok
	}
	for n := m.Number + 1; n <= c.rec.last; n++ {
		next := c.client.At(n)
		if next.Person() {
			return true
		}
		if next.HasWords() {
			break
		}
	}
	c.fault(rulePlace, "message %d is not the assistant's last before a request: %s", m.Number,
		excerpt(text))
	return true
}

// reports counts the requests of the span that follow closing words of the assistant, not counting
// the very last words.
func (c *checker) reports() (n int) {
	var open *conversation.Message
	for number := c.rec.first; number <= c.rec.last; number++ {
		m := c.client.At(number)
		switch {
		case m.HasWords():
			open = m
		case m.Person():
			if open != nil && open != c.lastWords() {
				n++
			}
			open = nil
		}
	}
	return n
}

// beside counts the closing words in the span that the record shows beside a terse message of a
// person: one of at most 40 characters, which may be an answer.
func (c *checker) beside() (n int) {
	for number := c.rec.first; number <= c.rec.last; number++ {
		m := c.client.At(number)
		words := m.TypedWords()
		if !m.Person() || words == "" || utf8.RuneCountInString(words) > 40 {
			continue
		}
		w := c.wordsBefore(number)
		if w == nil || w.Number < c.rec.first || w == c.lastWords() {
			continue
		}
		after := fmt.Sprintf("  after %d assistant", w.Number)
		if slices.ContainsFunc(c.rec.lines, func(l string) bool {
			return strings.HasPrefix(l, after)
		}) {
			n++
		}
	}
	return n
}

// statement checks the messages that a model's statement rests on.
func (c *checker) statement(text string) bool {
	c.rec.sources = nil
	found := modelForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(kindStatement)
	for number := range strings.SplitSeq(found[1], ", ") {
		n, _ := strconv.Atoi(number)
		if m := c.within(n); m != nil {
			c.rec.sources = append(c.rec.sources, m)
		} else {
			c.fault(rulePlace, "message %d is not among those replaced: %s", n, excerpt(text))
		}
	}
	return true
}

// quoting checks the line with the quote of a statement: it is from one of the statement's
// messages, and its writers are stated.
func (c *checker) quoting(text string) bool {
	by, quote, ok := strings.Cut(text, ": ")
	if !ok || c.rec.section != modelTitle || c.rec.sources == nil {
		return false
	}
	var writers []string
	for _, m := range c.rec.sources {
		if by := writerOf(m, quote); by != "" {
			writers = append(writers, by)
		}
	}
	switch stated := strings.Split(by, " and "); {
	case len(writers) == 0:
		c.fault(ruleQuote, "no message of the statement says so: %s", excerpt(quote))
	case !slices.Equal(sorted(stated), sorted(writers)):
		c.fault(ruleSpeaker, "%s wrote this, not %s: %s", writers, stated, excerpt(quote))
	}
	c.rec.sources = nil // a statement has one quote
	return true
}

// writerOf returns who wrote a quote, "" if the message does not contain it.
func writerOf(m *conversation.Message, quote string) string {
	own := m.Text()
	for _, k := range slices.Concat(m.Calls, m.Ran) {
		own += "\n" + k.Decoded()
	}
	switch {
	case !quoted.Contains(quoted.Fold(own), quote):
		if returned(m, quote) {
			return "tool"
		}
		return ""
	case m.Role == "user" && !quoted.Contains(quoted.Fold(m.TypedWords()), quote):
		return "client"
	}
	return m.Role
}

// sorted returns the different names in order.
func sorted(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
