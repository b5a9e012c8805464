package probe

import (
	"slices"
	"strings"

	"killick/probe/normal"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// turns are messages as texts, with their writers and the calls that they make.
type turns struct {
	first   int              // the number of the first message
	raw     []string         // by message: all of its text, with its calls, and what is outside
	texts   []string         // the same, as one line of its own and one of each text outside
	outside [][]outside      // by message: texts in it that its writer did not write
	writers []speech.Speaker // by message, of its own words
	typed   map[int]typed    // by message of a user
	linked  [][]int          // by message: the calls and results that belong to it
	made    [][]int          // by message: the calls that it makes
	read    *transcript.Transcript
	calls   []transcript.Call // those of read, and after them those that the provider ran

	newest   []int            // by call: the newest of the same, read at first use
	todos    transcript.Todos // the list at the end, read at first use
	setTodos map[int]bool     // the messages that set it
}

// typed is what a user typed in a message, as one line.
type typed struct {
	words string // with code and quotations
	plain string // without
}

// outside is a text in a message of the assistant that a tool of the provider returned, or that
// names the pages and files that the message cites.
type outside struct {
	raw  string
	call int // the one that returned it, -1 if it is cited
}

// readOutside returns what calls of the provider returned in each message, and what each cites.
func (t *turns) readOutside() {
	t.outside = make([][]outside, len(t.read.Messages))
	for n := len(t.read.Calls); n < len(t.calls); n++ {
		c := &t.calls[n]
		if text := t.read.Output(c, ""); text != "" {
			o := outside{strings.ToValidUTF8(text, "\uFFFD"), n}
			t.outside[c.Result] = append(t.outside[c.Result], o)
		}
	}
	for i := range t.read.Messages {
		var results []*view.HostedResult
		for _, o := range t.outside[i] {
			results = append(results, t.calls[o.call].Ran())
		}
		if text := t.read.Messages[i].CitedBeside(results).Readable(); text != "" {
			o := outside{strings.ToValidUTF8(text, "\uFFFD"), -1}
			t.outside[i] = append(t.outside[i], o)
		}
	}
}

// readTurns reads messages. first is the number of the first of them.
func readTurns(msgs []view.Message, first int) turns {
	t := turns{
		first: first, raw: make([]string, len(msgs)), texts: make([]string, len(msgs)),
		writers: make([]speech.Speaker, len(msgs)), typed: map[int]typed{},
		linked: make([][]int, len(msgs)), made: make([][]int, len(msgs)),
		read: transcript.ReadAll(msgs),
	}
	t.calls = slices.Concat(t.read.Calls, t.read.Hosted(0, len(msgs)))
	t.readOutside()
	calls := make([]strings.Builder, len(msgs))
	for i := range t.calls {
		c := &t.calls[i]
		// The arguments as the client wrote them, and decoded: a model may quote either.
		t.made[c.Caller] = append(t.made[c.Caller], i)
		made := &calls[c.Caller]
		if c.Began() < 0 { // else an earlier message has them
			made.WriteString("\n" + c.Name + " " + c.Raw + "\n" + c.Decoded())
		}
		if of := c.Made(); c.Alone() {
			made.WriteString("\n" + of.Name + " " + of.Raw)
		}
		if linked := t.linked[c.Caller]; c.Result >= 0 && c.Result != c.Caller &&
			!slices.Contains(linked, c.Result) {
			t.linked[c.Caller] = append(t.linked[c.Caller], c.Result)
			t.linked[c.Result] = append(t.linked[c.Result], c.Caller)
		}
	}
	for i := range msgs {
		text := strings.ToValidUTF8(msgs[i].Text()+calls[i].String(), "\uFFFD")
		m := t.read.Message(i)
		if t.writers[i] = m.Speaker; m.Speaker == speech.Person {
			t.typed[i] = typed{normal.Line(m.Words()), normal.Line(m.Plain())}
		}
		raw, lines := []string{text}, []string{normal.OneLine(text)}
		for _, o := range t.outside[i] {
			raw, lines = append(raw, o.raw), append(lines, normal.Line(o.raw))
		}
		t.raw[i], t.texts[i] = strings.Join(raw, "\n"), strings.Join(lines, "\n")
	}
	return t
}

// indexOf returns the index of a message; ok is false for an invalid number.
func (t *turns) indexOf(number int) (i int, ok bool) {
	i = number - t.first
	return i, i >= 0 && i < len(t.texts)
}

// outsideOf returns which of the texts outside in a message has a one-line text that the message's
// own line does not have, -1 if none.
func (t *turns) outsideOf(i int, text string) int {
	for n, line := range strings.Split(t.texts[i], "\n") {
		if strings.Contains(line, text) {
			return n - 1
		}
	}
	return -1
}

// withResults returns messages with the calls and results that belong to them.
func (t *turns) withResults(at []int) []int {
	all := slices.Clone(at)
	for _, i := range at {
		all = append(all, t.linked[i]...)
	}
	return all
}

// near returns messages with what belongs to them and what directly precedes them: an
// answer is understood from what it answers.
func (t *turns) near(at []int) []int {
	all := t.withResults(at)
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
func (t *turns) holdQuote(numbers []int, quote string) bool {
	return slices.ContainsFunc(numbers, func(number int) bool {
		i, ok := t.indexOf(number)
		return ok && strings.Contains(t.texts[i], quote)
	})
}
