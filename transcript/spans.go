package transcript

import (
	"sort"
	"strings"
)

// SpanKind says where a part of a user message's text comes from.
type SpanKind byte

// The kinds of spans.
const (
	Typed     SpanKind = iota // a person typed it
	Code                      // a fenced block among typed words
	Quotation                 // lines marked with ">" among typed words
	Block                     // the client wrote it
	Document                  // a document or an attachment that stands in the text
)

// Typed reports whether the span came from a person's keyboard or clipboard.
func (k SpanKind) Typed() bool { return k <= Quotation }

// Span is a part of a text.
type Span struct {
	Kind       SpanKind
	Tag        string // of a block or document: the name of its tag, "" where it has none
	Start, End int
}

// spansOf divides a text into spans without gaps.
func spansOf(text string) []Span {
	if text == "" {
		return nil
	}
	if tag, ok := clientText(text); ok {
		return []Span{{Kind: Block, Tag: tag, End: len(text)}}
	}
	var spans []Span
	at := 0
	for _, e := range elementsOf(text) {
		spans = appendTyped(spans, text, at, e.start)
		if e.kind == Typed { // a tag around typed words: the tags alone are the client's
			spans = append(spans, Span{Kind: Block, Tag: e.tag, Start: e.start, End: e.inside})
			spans = appendTyped(spans, text, e.inside, e.insideEnd)
			spans = append(spans, Span{Kind: Block, Tag: e.tag, Start: e.insideEnd, End: e.end})
		} else {
			spans = append(spans, Span{Kind: e.kind, Tag: e.tag, Start: e.start, End: e.end})
		}
		at = e.end
	}
	return appendTyped(spans, text, at, len(text))
}

// element is a block between a tag that is known and the end tag of that name.
type element struct {
	kind              SpanKind
	tag               string
	start, end        int
	inside, insideEnd int
}

// elementsOf finds the outermost elements of known tags, in order. A tag without
// its end is text like any other.
func elementsOf(text string) (found []element) {
	ends := endTags(text)
	for at := 0; at < len(text); {
		open := strings.IndexByte(text[at:], '<')
		if open < 0 {
			return found
		}
		at += open
		e, ok := elementAt(text, at, ends)
		if !ok {
			at++
			continue
		}
		found = append(found, e)
		at = e.end
	}
	return found
}

// elementAt reads the element that begins at text[at], a "<".
func elementAt(text string, at int, ends map[string][]int) (e element, ok bool) {
	name := tagName(text[at+1:])
	known, ok := tags[name]
	if !ok {
		return e, false
	}
	inside := strings.IndexByte(text[at:min(len(text), at+maxTag)], '>')
	if inside < 0 || strings.ContainsAny(text[at+1:at+inside], "<\n") {
		return e, false
	}
	inside += at + 1
	closing := ends[name]
	next := sort.SearchInts(closing, inside)
	if next == len(closing) {
		return e, false
	}
	if known.output {
		// What a command printed may hold the end tag too: it ends at the last.
		next = len(closing) - 1
	}
	e = element{kind: known.kind, tag: name, start: at, inside: inside, insideEnd: closing[next]}
	e.end = e.insideEnd + len("</") + len(name) + len(">")
	return e, true
}

// endTags returns where the end tags of known names stand.
func endTags(text string) map[string][]int {
	ends := map[string][]int{}
	for at := 0; ; {
		i := strings.Index(text[at:], "</")
		if i < 0 {
			return ends
		}
		at += i
		name := tagName(text[at+2:])
		if _, ok := tags[name]; ok && strings.HasPrefix(text[at+2+len(name):], ">") {
			ends[name] = append(ends[name], at)
		}
		at += 2
	}
}

// tagName returns the name that a tag begins with, "" if it is none.
func tagName(s string) string {
	n := 0
	for n < len(s) && n < maxTagName && (isLetter(s[n]) || n > 0 && (isDigit(s[n]) || s[n] == '-' || s[n] == '_')) {
		n++
	}
	return s[:n]
}

const (
	maxTagName = 64
	maxTag     = 1024 // bytes of a tag with its attributes
)

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// appendTyped appends the spans of text[from:to], in which no element stands: code
// between fences, quoted lines, and what is left.
func appendTyped(spans []Span, text string, from, to int) []Span {
	add := func(kind SpanKind, end int) {
		if last := len(spans) - 1; last >= 0 && spans[last].Kind == kind && kind.Typed() && spans[last].End == from {
			spans[last].End = end
		} else {
			spans = append(spans, Span{Kind: kind, Start: from, End: end})
		}
		from = end
	}
	fence := ""
	for from < to {
		end := to
		if i := strings.IndexByte(text[from:to], '\n'); i >= 0 {
			end = from + i + 1
		}
		line := strings.TrimLeft(text[from:end], " \t")
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) {
				fence = ""
			}
			add(Code, end)
		case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
			fence = line[:3]
			add(Code, end)
		case strings.HasPrefix(line, ">"):
			add(Quotation, end)
		default:
			add(Typed, end)
		}
	}
	return spans
}
