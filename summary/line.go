package summary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/reference"
)

// gap marks where a quote was cut.
const gap = " […] "

// line makes external text safe within a line of a record: every line break, control character and
// run of white space becomes one space, colors of terminals are left out, and imitations of our
// marks are altered. The result must not begin a line.
func line(s string) string {
	var b strings.Builder
	b.Grow(min(len(s), 4096))
	space := true // no space at the beginning
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && (plain(s[i]) ||
			s[i] == ' ' && i > start && i+1 < len(s) && plain(s[i+1])) {
			i++
		}
		if i > start {
			b.WriteString(s[start:i])
			space = false
			continue
		}
		if s[i] <= ' ' { // white space or a control character
			n, color := reference.Escape(s[i:])
			i += max(1, n)
			if color {
				continue
			}
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if unicode.IsSpace(r) || unicode.IsControl(r) || directional(r) {
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		}
		b.WriteRune(r)
		space = false
	}
	return escapeMarks(strings.TrimSuffix(b.String(), " "))
}

// plain reports whether a character is one of ASCII that prints, and no space: as most are.
func plain(c byte) bool { return c > ' ' && c < 0x7f }

// directional reports whether a character changes the display direction of the text after it.
func directional(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f ||
		r == 0x061c || r == 0xfeff
}

// marks are the beginnings of our own marks, which delimit records and cuts, and of what stands in
// place of outputs.
var marks = []string{"[Record of earlier turns", "[End of the record", "[…",
	"[Output masked to save", "[Truncated on arrival", "[Word for word the same"}

// escapeMarks replaces the square bracket of imitations of our marks by a round one.
func escapeMarks(s string) string {
	var escaped []byte // nil if there is none
	for at := 0; ; at++ {
		next := strings.IndexByte(s[at:], '[')
		if next < 0 {
			break
		}
		at += next
		rest := s[at:]
		if slices.ContainsFunc(marks, func(m string) bool { return strings.HasPrefix(rest, m) }) {
			if escaped == nil {
				escaped = []byte(s)
			}
			escaped[at] = '('
		}
	}
	if escaped == nil {
		return s
	}
	return string(escaped)
}

// blockMark precedes each line of a block.
const blockMark = "  | "

// block returns external text as separate lines, each after a mark, so that no line of the text
// begins a line of the record.
func block(s string) string {
	var b strings.Builder
	for _, l := range strings.FieldsFunc(s, lineBreak) {
		b.WriteString(blockMark + sanitizeLine(l) + "\n")
	}
	return b.String()
}

// ExactLines is like block for lines that must be quoted exactly, such as lines of files: empty
// lines are kept, and only a bar precedes each line.
func ExactLines(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("|" + sanitizeLine(l) + "\n")
	}
	return b.String()
}

// Verbatim reports whether [ExactLines] shows a line as it is.
func Verbatim(l string) bool {
	if printable(l) {
		return escapeMarks(l) == l
	}
	return !strings.ContainsRune(l, utf8.RuneError) && sanitizeLine(l) == l
}

// sanitizeLine returns a line unchanged except for line breaks, control characters, what controls a
// terminal, and our marks.
func sanitizeLine(l string) string {
	if printable(l) {
		return escapeMarks(l)
	}
	return escapeMarks(strings.Map(func(r rune) rune {
		if r != '\t' && (lineBreak(r) || unicode.IsControl(r) || directional(r)) {
			return ' '
		}
		return r
	}, withoutEscapes(l)))
}

// withoutEscapes returns a text without what controls a terminal: nothing in place of colors, and
// a space in place of the rest.
func withoutEscapes(s string) string {
	at := strings.IndexByte(s, '\x1b')
	if at < 0 {
		return s
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexByte(s, '\x1b') {
		n, color := reference.Escape(s[at:])
		b.WriteString(s[:at])
		if !color {
			b.WriteByte(' ')
		}
		s = s[at+max(1, n):]
	}
	return b.String() + s
}

// printable reports whether a text has no characters but those of ASCII that print, and tabs. Most
// lines are such.
func printable(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c > '~' {
			return false
		}
	}
	return true
}

// lineBreak reports whether a character ends a line anywhere: the mandatory breaks
// of Unicode's line breaking (UAX 14).
func lineBreak(r rune) bool {
	return r >= '\n' && r <= '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// cut returns a line of at most n bytes. Of a longer line, it returns the beginning and the end
// with a mark between them.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n <= len(gap)+8 {
		return headOfWords(s, max(0, n-len("[…]"))) + "[…]"
	}
	keep := n - len(gap)
	first := strings.TrimRight(headOfWords(s, keep*2/3), " ")
	last := strings.TrimLeft(tailOfWords(s, keep-len(first)), " ")
	// One mark is enough where another cut was.
	return strings.TrimSuffix(first, strings.TrimRight(gap, " ")) + gap +
		strings.TrimPrefix(last, strings.TrimLeft(gap, " "))
}

// beginningOf returns the beginning of a text on a line of at most n bytes. A mark follows it if
// the text goes on.
func beginningOf(text string, n int) string {
	const mark = " […]"
	s := line(head(text, quoteBytes))
	if len(s) <= n && len(text) <= quoteBytes {
		return s
	}
	return strings.TrimRight(headOfWords(s, max(0, n-len(mark))), " ") + mark
}

// headOfWords is head, without the part of a word at its end. Half a path or address is a name that
// nobody wrote. A word that is more than half of the text is split.
func headOfWords(s string, n int) string {
	h := head(s, n)
	if len(h) == len(s) {
		return h
	}
	return s[:CutEnd(s, len(h), len(h)/2)]
}

// tailOfWords is tail, without the part of a word at its beginning.
func tailOfWords(s string, n int) string {
	from := len(s) - len(tail(s, n))
	if from == 0 {
		return s
	}
	return s[CutStart(s, from, from+(len(s)-from)/2):]
}

// head returns at most n bytes from the beginning of s, without splitting a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// tail returns at most n bytes from the end of s, without splitting a character.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// quoteBytes limits how much of each end of a long text is read for a quote.
const quoteBytes = 8 << 10

// longestMark is longer than each of marks.
const longestMark = 32

// quoted returns text as a quote of at most n bytes. Of each end of a long text, it reads only as
// much as the quote depends on.
func quoted(text string, n int) string {
	if near := n + n/4 + longestMark; len(text) > 2*near {
		first, last := line(head(text, near)), line(tail(text, near))
		if shows := n + longestMark; len(first) >= shows && len(last) >= shows {
			return cut(first+last, n)
		}
	}
	if len(text) > 2*quoteBytes {
		return cut(line(head(text, quoteBytes))+gap+line(tail(text, quoteBytes)), n)
	}
	return cut(line(text), n)
}

// Line returns external text on one line of at most n bytes, safe within a record. Cuts are marked.
func Line(text string, n int) string { return quoted(text, n) }

// HasWords reports whether a text has a letter or a digit.
func HasWords(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}
