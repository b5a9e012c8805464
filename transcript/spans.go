package transcript

import (
	"slices"
	"strings"
)

// SpanKind is the origin of a part of a user message's text.
type SpanKind byte

// The kinds of spans.
const (
	Typed SpanKind = iota // a person typed it
	Code                  // a fenced block among typed words
	// lines marked with ">" among typed words, or text in a tag for words of others
	Quotation
	Block    // the client wrote it
	Document // a document or an attachment within the text
)

// Typed reports whether the span came from a person's keyboard or clipboard.
func (k SpanKind) Typed() bool { return k <= Quotation }

// Span is a part of a text.
type Span struct {
	Kind SpanKind
	// Tag is, for a block or document, the name of its tag or a label; "" if it has neither.
	Tag        string
	Start, End int
}

// spansOf divides a text into spans without gaps.
func spansOf(text string) []Span {
	d := divider{text: text}
	d.divide(elementsOf(text))
	d.spans = withLines(text, d.spans)
	if d.pairs == 0 && slashCommand(strings.TrimSpace(typedText(text, d.spans))) {
		for i := range d.spans {
			if d.spans[i].Kind.Typed() {
				d.spans[i].Kind, d.spans[i].Tag = Block, "command"
			}
		}
	}
	return d.spans
}

// divider splits a text into spans, block by block.
type divider struct {
	text  string
	at    int // text[:at] is divided
	spans []Span
	open  []element // unclosed tags around a person's words, the innermost last
	pairs int       // the number of such tags so far
	// quotes are the names of the open tags around quotations.
	quotes []string
	failed map[string]bool // the beginnings of openings whose ends were not found
}

// queuedWords begins the reminder in which Claude Code (2.1.332) sends what a person typed while
// the assistant was working; one of queuedEnds follows the words.
const queuedWords = "The user sent a new message while you were working:\n"

var queuedEnds = []string{"\n\nThis is how Claude Code surfaces messages the user sends mid-turn",
	"\n\nIMPORTANT:"} // the second until 2.1.330

// queued returns the words in the body of such a reminder. They may have paragraphs that begin like
// an end.
func queued(body string) (words string, ok bool) {
	words, ok = strings.CutPrefix(body, queuedWords)
	for _, end := range queuedEnds {
		if i := strings.LastIndex(words, end); ok && i >= 0 {
			return words[:i], true
		}
	}
	return words, ok
}

// The tag of a reminder that Claude Code appends to the result of a call, each on lines of its own.
const reminderStart, reminderEnd = "<system-reminder>\n", "</system-reminder>"

// Queued returns what a person typed while the assistant was working, if Claude Code (2.1.332)
// appended it to this result of a call, in order. A program may print the same.
func Queued(result string) (words []string) {
	for {
		rest, body, ok := cutReminder(result)
		if !ok {
			slices.Reverse(words)
			return words
		}
		if said, is := queued(body); is && strings.TrimSpace(said) != "" {
			words = append(words, strings.TrimSpace(said))
		}
		result = rest
	}
}

// cutReminder returns a result without the reminder at its end, and the text of that.
func cutReminder(result string) (rest, body string, ok bool) {
	result = strings.TrimRight(result, " \r\n")
	if !strings.HasSuffix(result, reminderEnd) { // most results, which are not searched then
		return result, "", false
	}
	at := strings.LastIndex(result, reminderStart)
	if at < 0 || at > 0 && result[at-1] != '\n' {
		return result, "", false
	}
	return result[:at], strings.TrimSuffix(result[at+len(reminderStart):], reminderEnd), true
}

// WithoutReminders returns a result without the reminders that Claude Code appended to it.
func WithoutReminders(result string) string {
	rest, _, ok := cutReminder(result)
	for ok {
		result = strings.TrimRight(rest, " \r\n")
		rest, _, ok = cutReminder(result)
	}
	return result
}

func (d *divider) divide(elements []element) {
	fresh := true // at the beginning of the text, or after a block
	for {
		if fresh {
			if end, kind, label, ok := d.opening(); ok {
				d.add(kind, label, end)
				continue
			}
		}
		for len(elements) > 0 && elements[0].start < d.at {
			elements = elements[1:]
		}
		d.close()
		if n := len(d.open); n > 0 &&
			(len(elements) == 0 || d.open[n-1].insideEnd < elements[0].start) {
			around := d.open[n-1]
			d.typed(around.insideEnd)
			if around.kind == Quotation {
				d.typed(around.end)
			} else {
				d.add(Block, around.tag, around.end)
			}
			fresh = around.kind != Quotation
			continue
		}
		if len(elements) == 0 {
			d.typed(len(d.text))
			return
		}
		e := elements[0]
		d.typed(e.start)
		fresh = e.kind == Block || e.kind == Document
		if fresh {
			d.hide(e)
			continue
		}
		if e.kind == Quotation { // the tag itself was typed too
			d.add(Quotation, e.tag, e.inside)
			d.quotes = append(d.quotes, e.tag)
		} else {
			d.add(Block, e.tag, e.inside)
			d.pairs++
		}
		d.open = append(d.open, e)
	}
}

// close drops the open tags that have ended.
func (d *divider) close() {
	for n := len(d.open); n > 0 && d.open[n-1].insideEnd < d.at; n-- {
		if d.open[n-1].kind == Quotation {
			d.quotes = d.quotes[:len(d.quotes)-1]
		}
		d.open = d.open[:n-1]
	}
}

// hide adds a block or a document. A person's words inside a reminder count as typed.
func (d *divider) hide(e element) {
	inside := d.text[e.inside:e.insideEnd]
	if body := strings.TrimLeft(inside, "\n"); e.tag == "system-reminder" &&
		strings.HasPrefix(body, queuedWords) {
		words, _ := queued(body)
		start := e.insideEnd - len(body) + len(queuedWords)
		d.add(Block, e.tag, start)
		d.typed(start + len(words))
		d.pairs++
	}
	d.add(e.kind, e.tag, e.end)
}

// typed adds the text up to end as typed by a person.
func (d *divider) typed(end int) {
	if n := len(d.quotes); n > 0 {
		d.add(Quotation, d.quotes[n-1], end)
		return
	}
	d.add(Typed, "", end)
}

func (d *divider) add(kind SpanKind, label string, end int) {
	if end > d.at {
		d.spans = append(d.spans, Span{Kind: kind, Tag: label, Start: d.at, End: end})
		d.at = end
	}
}

// typedText joins the spans that a person typed, or those of one kind. If a block separated two
// spans, a line feed replaces it.
func typedText(text string, spans []Span, kinds ...SpanKind) string {
	var b strings.Builder
	first, end := "", 0
	for _, s := range spans {
		if !s.Kind.Typed() || len(kinds) > 0 && s.Kind != kinds[0] {
			continue
		}
		words := text[s.Start:s.End]
		if first == "" { // mostly the only span, which need not be copied
			first, end = words, s.End
			continue
		}
		if b.Len() == 0 {
			b.WriteString(first)
		}
		if s.Start > end && !isSpace(words[0]) && !isSpace(text[end-1]) {
			b.WriteByte('\n')
		}
		b.WriteString(words)
		end = s.End
	}
	if b.Len() == 0 {
		return first
	}
	return b.String()
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
