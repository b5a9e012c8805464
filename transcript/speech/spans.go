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
