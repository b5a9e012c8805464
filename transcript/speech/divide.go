package speech

import "strings"

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
	d.add(e.kind, e.tag, e.end+len(pointer(e.tag, d.text[e.end:])))
}

// pointers begin the line after what Claude Code (2.1.330 and earlier) says of a command or a
// sub-agent that has ended: where its output is.
var pointers = []string{"\nRead the output file to retrieve the result: ",
	"\nFull transcript available at: "}

// pointer returns the line after an element with which the client says where more is, "" if there
// is none.
func pointer(tag, after string) string {
	for _, p := range pointers {
		if tag == "task-notification" && strings.HasPrefix(after, p) {
			line, _, _ := strings.Cut(after[1:], "\n")
			return after[:1+len(line)]
		}
	}
	return ""
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

// opening returns the end and the kind of the client's text at the current position, including
// leading white space. A search that failed once is not repeated.
func (d *divider) opening() (end int, kind SpanKind, label string, ok bool) {
	rest := strings.TrimLeft(d.text[d.at:], " \t\r\n")
	start := len(d.text) - len(rest)
	for i := range openings {
		o := &openings[i]
		if !strings.HasPrefix(rest, o.start) || d.failed[o.start] {
			continue
		}
		if n := o.length(rest); n > 0 {
			return start + n, Block, o.label, true
		}
		d.fail(o.start)
	}
	if n := skillCall(rest); n > 0 {
		return start + n, Block, "skill", true
	}
	if n := readFile(rest); n > 0 && !d.failed[fileEnd] {
		if i := strings.LastIndex(rest[n:], fileEnd); i >= 0 {
			return start + n + i + len(fileEnd), Document, "path", true
		}
		d.fail(fileEnd)
	}
	return 0, Typed, "", false
}

// fail records that no end was found for an opening.
func (d *divider) fail(start string) {
	if d.failed == nil {
		d.failed = map[string]bool{}
	}
	d.failed[start] = true
}
