package excerpt

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"killick/reference"
)

// Line makes external text safe within a line of a record: every line break, control character and
// run of white space becomes one space, colors of terminals are left out, and imitations of our
// marks are altered. The result must not begin a line.
func Line(s string) string {
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

// BlockGap stands between two parts of a text that are blocks, in place of lines.
const BlockGap = blockMark + "[…]\n"

// Block returns external text as separate lines, each after a mark, so that no line of the text
// begins a line of the record.
func Block(s string) string {
	var b strings.Builder
	for _, l := range strings.FieldsFunc(s, lineBreak) {
		b.WriteString(blockMark + sanitizeLine(l) + "\n")
	}
	return b.String()
}

// ExactLines is like Block for lines that must be quoted exactly, such as lines of files: empty
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
