package probe

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/transcript/speech"
	"killick/view"
)

// Limits of what is shown beside a quote, in characters.
const (
	maxBeside = 200 // on either side, in its message
	maxEnd    = 120 // of either end of its message
	maxLine   = 120 // of a line or a bracket that a quote stands under
	maxAbove  = 360 // of all of these
)

// maxBrackets is how many brackets count that a quote is in.
const maxBrackets = 3

// maxLevel is the lowest level of a heading.
const maxLevel = 6

// Related is what gives a quote its meaning and is not in its message.
type Related struct {
	Kind Relation // "" if there is nothing
	Text string   // both ends of it, if it is long
}

// Relation is what a related text is to the message of a quote.
type Relation string

// The relations.
const (
	ItsCall   Relation = "call of the quoted result"
	ItsResult Relation = "result of the quoted call"
	Before    Relation = "assistant's words before the quoted message"
	Asked     Relation = "user's message before the quoted words"
)

// Passages sets the passages of grounded statements: their quotes with what stands beside and above
// them in their messages, since words there can reverse what a quote says. It also sets what is
// related to them. Statements with a word that is removed with a credential are dropped.
func (c *Conversation) Passages(statements []Statement) (kept []Statement, dropped []Drop) {
	for _, s := range statements {
		i := s.At - c.first
		clean := c.cleaned(i).outline
		if s.Passage = clean.passage(s.Quote); s.Passage == "" || c.removed(s.Text, i, clean.text) {
			dropped = append(dropped, Drop{s, HoldsCredential})
			continue
		}
		kind, text := c.related(i, s.Quote)
		if text = bothEnds(text, 2*maxBeside); text != "" {
			s.Related = Related{kind, text}
		}
		kept = append(kept, s)
	}
	return kept, dropped
}

// removed reports whether a text has a word of a message that is not in what is left of it.
func (t *turns) removed(text string, i int, left string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '-' && r != '_'
	}) {
		if strings.Contains(t.texts[i], word) && !strings.Contains(left, word) {
			return true
		}
	}
	return false
}

// related returns what is related to a one-line quote of a message: the call that a result answers,
// the result of a call, the assistant's words that a user answers, and the user's message that
// directly precedes the assistant's words.
func (c *Conversation) related(i int, quote string) (Relation, string) {
	if n := c.read.Answered(i); n >= 0 {
		call := c.read.Calls[n].Made()
		return ItsCall, line(c.redact(call.Name + " " + call.Raw))
	}
	switch c.writers[i] {
	case speech.Person:
		return Before, c.lastWords(i)
	case speech.Assistant:
		if strings.Contains(line(c.read.Messages[i].Text()), quote) {
			return Asked, c.typedBefore(i)
		}
		for _, n := range c.made[i] {
			call := &c.read.Calls[n]
			if call.Result >= 0 && strings.Contains(line(call.Raw+"\n"+call.Decoded()), quote) {
				return ItsResult, line(c.redact(c.read.Text(call.Result)))
			}
		}
	}
	return "", ""
}

// lastWords returns the assistant's last words before a message, "" if there are none since a
// person's last message.
func (c *Conversation) lastWords(before int) string {
	for i := before - 1; i >= 0; i-- {
		switch m := &c.read.Messages[i]; {
		case m.Role() == view.Assistant && strings.TrimSpace(m.Text()) != "":
			return c.cleaned(i).said
		case c.writers[i] == speech.Person:
			return ""
		}
	}
	return ""
}

// typedBefore returns what a person typed in the message before another, "" if it is nobody's.
func (c *Conversation) typedBefore(i int) string {
	if i == 0 || c.writers[i-1] != speech.Person {
		return ""
	}
	return c.cleaned(i - 1).said
}

// bothEnds returns a one-line text, without its middle if it has more than most characters.
func bothEnds(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return text[:endOfFirst(text, most/2)] + " … " +
		strings.TrimSpace(text[startOfLast(text, most/2):])
}

// outline is a text on one line, and how its lines were arranged.
type outline struct {
	text  string
	lines []outlined
}

// outlined is a line of a text that is not blank.
type outlined struct {
	start, end int  // in the text on one line
	indent     int  // columns before its first character
	level      int  // of a heading in Markdown, from 1; else 0
	opens      bool // it follows a blank line, or is the first
}

func newOutline(text string) *outline {
	var o outline
	var b strings.Builder
	var last rune
	opens := true
	for raw := range strings.Lines(text) {
		one := oneLine(raw)
		if one == "" {
			opens = true
			continue
		}
		first, _ := utf8.DecodeRuneInString(one)
		if b.Len() > 0 && !(unspaced(last) && unspaced(first)) {
			b.WriteByte(' ')
		}
		l := outlined{start: b.Len(), end: b.Len() + len(one), opens: opens,
			level: headingLevel(one)}
		for _, r := range raw {
			if r != ' ' && r != '\t' {
				break
			}
			l.indent++
		}
		o.lines = append(o.lines, l)
		b.WriteString(one)
		last, _ = utf8.DecodeLastRuneInString(one)
		opens = false
	}
	o.text = b.String()
	return &o
}

// headingLevel returns the level of a heading in Markdown, 0 if a line is none.
func headingLevel(line string) int {
	rest := strings.TrimLeft(line, "#")
	if level := len(line) - len(rest); level <= maxLevel && strings.HasPrefix(rest, " ") {
		return level
	}
	return 0
}

// passage returns a one-line quote with what stands beside it, cut between words and marked where
// it is cut, between both ends of the message and after what it stands under; "" if the text does
// not contain the quote.
func (o *outline) passage(quote string) string {
	before, rest, found := strings.Cut(o.text, quote)
	if !found || quote == "" {
		return ""
	}
	from, begins := startOfLast(before, maxBeside), endOfFirst(before, maxEnd)
	if from > begins {
		above := before[:begins] + ellipsis
		for _, p := range o.above(len(before), begins, from) {
			above += " " + o.text[p.start:p.end] + ellipsis
		}
		before = above + " " + strings.TrimPrefix(before[from:], " ")
	}
	to, ends := endOfFirst(rest, maxBeside), startOfLast(rest, maxEnd)
	if to < ends {
		rest = rest[:to] + ellipsis + " " + strings.TrimPrefix(rest[ends:], " ")
	}
	return before + quote + rest
}

// part is what is between two positions of a text.
type part struct{ start, end int }

// above returns the parts that the words at a position stand under, as far as they are not before
// from and begin before to, in order. There is room for the nearest.
func (o *outline) above(at, from, to int) (above []part) {
	left := maxAbove
	for _, p := range append(o.lineStarts(at), o.brackets(at)...) {
		if p.start < to {
			p.end = p.start + endOfFirst(o.text[p.start:min(p.end, to)], maxLine)
		}
		if p.start < to && p.end > from {
			above = append(above, p)
		}
	}
	slices.SortFunc(above, func(a, b part) int { return cmp.Compare(b.start, a.start) })
	for i, p := range above {
		if left -= utf8.RuneCountInString(o.text[p.start:p.end]); left < 0 {
			above = above[:i]
			break
		}
	}
	slices.Reverse(above)
	merged := above[:0]
	for _, p := range above {
		if n := len(merged) - 1; n >= 0 && p.start <= merged[n].end {
			merged[n].end = max(merged[n].end, p.end)
		} else {
			merged = append(merged, p)
		}
	}
	return merged
}

// lineStarts returns the line of a position and those that it stands under: headings, lines that
// are indented less, and the first line of a block.
func (o *outline) lineStarts(at int) (all []part) {
	n, _ := slices.BinarySearchFunc(o.lines, at+1, func(l outlined, at int) int {
		return cmp.Compare(l.end, at)
	})
	if n == len(o.lines) {
		return nil
	}
	own := &o.lines[n]
	indent, opened, level := own.indent, own.opens, cmp.Or(own.level, maxLevel+1)
	all = append(all, part{own.start, own.end})
	for i := n - 1; i >= 0 && level > 1; i-- {
		l := &o.lines[i]
		stands := false
		switch {
		case l.level > 0:
			if stands = l.level < level; stands {
				level = l.level
			}
		case level <= maxLevel: // what stands before a heading is of another section
		case l.indent < indent:
			indent, stands = l.indent, true
		case !opened && l.opens:
			stands = true
		}
		if opened = opened || l.opens; stands {
			all = append(all, part{l.start, l.end})
		}
	}
	return all
}

// brackets returns what follows the brackets that a position is in.
func (o *outline) brackets(at int) (all []part) {
	depth := 0
	for i := at - 1; i >= 0 && len(all) < maxBrackets; i-- {
		switch o.text[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth < 0 {
				all, depth = append(all, part{i, at}), 0
			}
		}
	}
	return all
}

// startOfLast returns where the last words of text begin that have at most n characters.
func startOfLast(text string, n int) int {
	start := len(text)
	for ; start > 0 && n > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	if start == 0 {
		return 0
	}
	if space := strings.IndexByte(text[start:], ' '); space >= 0 {
		return start + space
	}
	return start
}

// endOfFirst returns where the first words of text end that have at most n characters.
func endOfFirst(text string, n int) int {
	end := 0
	for ; end < len(text) && n > 0; n-- {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if end == len(text) {
		return end
	}
	if space := strings.LastIndexByte(text[:end], ' '); space >= 0 {
		return space
	}
	return end
}
