package speech

import "strings"

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
