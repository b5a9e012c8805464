package speech

import "strings"

// withLines divides what a person typed into fenced code, quoted lines and the rest.
func withLines(text string, spans []Span) []Span {
	code := fencedLines(text, spans)
	out := make([]Span, 0, len(spans))
	add := func(kind SpanKind, start, end int) {
		if n := len(out); n > 0 && out[n-1].Kind == kind && out[n-1].End == start &&
			out[n-1].Tag == "" {
			out[n-1].End = end
			return
		}
		out = append(out, Span{Kind: kind, Start: start, End: end})
	}
	for _, s := range spans {
		if s.Kind != Typed {
			out = append(out, s)
			continue
		}
		for at := s.Start; at < s.End; {
			end := lineEnd(text, at, s.End)
			for len(code) > 0 && code[0].End <= at {
				code = code[1:]
			}
			switch {
			case len(code) > 0 && code[0].Start <= at:
				add(Code, at, end)
			case strings.HasPrefix(strings.TrimLeft(text[at:end], " \t"), ">"):
				add(Quotation, at, end)
			default:
				add(Typed, at, end)
			}
			at = end
		}
	}
	return out
}

// lineEnd returns the end of the line of text[at], at most to.
func lineEnd(text string, at, to int) int {
	if i := strings.IndexByte(text[at:to], '\n'); i >= 0 {
		return at + i + 1
	}
	return to
}

// fence is a line of three or more backticks or tildes.
type fence struct {
	start, end int
	mark       byte
	n          int
	bare       bool // nothing follows the marks, so it can close a block
}

// fencedLines returns the fenced code blocks by CommonMark's rules, with one exception: an unclosed
// fence opens no block, so that the text after it counts as a person's words.
func fencedLines(text string, spans []Span) (blocks []Span) {
	var fences []fence
	for _, s := range spans {
		if s.Kind != Typed {
			continue
		}
		for at := s.Start; at < s.End; {
			end := lineEnd(text, at, s.End)
			if f, ok := fenceOf(text[at:end]); ok {
				f.start, f.end = at, end
				fences = append(fences, f)
			}
			at = end
		}
	}
	unclosed := map[byte]int{} // the least number of marks for which no closing fence follows
	for i := 0; i < len(fences); i++ {
		f := fences[i]
		if n, ok := unclosed[f.mark]; ok && f.n >= n {
			continue
		}
		closing := i + 1
		for closing < len(fences) && (!fences[closing].bare || fences[closing].mark != f.mark ||
			fences[closing].n < f.n) {
			closing++
		}
		if closing == len(fences) {
			unclosed[f.mark] = f.n
			continue
		}
		blocks = append(blocks, Span{Kind: Code, Start: f.start, End: fences[closing].end})
		i = closing
	}
	return blocks
}

func fenceOf(line string) (f fence, ok bool) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] != '`' && line[0] != '~' {
		return f, false
	}
	f.mark = line[0]
	for f.n < len(line) && line[f.n] == f.mark {
		f.n++
	}
	f.bare = f.n == len(line)
	// "```x```" is inline code
	return f, f.n >= 3 && (f.mark == '~' || strings.IndexByte(line[f.n:], '`') < 0)
}
