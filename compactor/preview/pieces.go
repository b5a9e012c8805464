package preview

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// piece is a unit of output that is shown or left out: a line, or a part of a long line. The texts
// of all pieces, with a line feed after each that ends a line, are the output.
type piece struct {
	text string
	ends bool // a line ends after it
}

func (p piece) size() int {
	if p.ends {
		return len(p.text) + 1
	}
	return len(p.text)
}

const (
	longLine = 400 // maximum bytes of a line that is not divided
	maxPiece = 240 // maximum bytes of a piece of a longer line
	minPiece = 40  // minimum bytes of one that ends after a comma
)

// divide returns the pieces of a text, and the index of the first piece of each line. Long lines
// are divided as if they were JSON: after the line feeds in strings and the commas between values.
// Other text is cut at maxPiece bytes at the latest.
func divide(text string) (pieces []piece, lines []int) {
	n := strings.Count(text, "\n") + 1
	pieces, lines = make([]piece, 0, n), make([]int, 0, n)
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, len(pieces))
		if len(line) > longLine {
			pieces = divideLine(pieces, line)
		} else {
			pieces = append(pieces, piece{text: line})
		}
		pieces[len(pieces)-1].ends = true
	}
	pieces[len(pieces)-1].ends = false
	return pieces, lines
}

// divideLine adds the pieces of a long line.
func divideLine(pieces []piece, line string) []piece {
	start, inString := 0, false
	cut := func(at int) {
		pieces = append(pieces, piece{text: line[start:at]})
		start = at
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '"':
			inString = !inString
		case c == '\\' && i+1 < len(line):
			if i++; line[i] == 'n' && inString {
				cut(i + 1)
			}
		case c == ',' && !inString && i+1-start >= minPiece:
			cut(i + 1)
		}
		if i+1-start >= maxPiece && i+1 < len(line) {
			cut(start + wordEnd(line[start:i+1]))
		}
	}
	if start < len(line) {
		cut(len(line))
	}
	return pieces
}

// wordEnd returns the offset after the last space of a text if it is in its second half, else the
// offset after its last whole character.
func wordEnd(text string) int {
	if i := strings.LastIndexByte(text, ' ') + 1; i > len(text)/2 {
		return i
	}
	for i := len(text) - 1; i > max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if utf8.FullRuneInString(text[i:]) {
				break
			}
			return i
		}
	}
	return len(text)
}

// gap is a run of pieces that are left out.
type gap struct {
	end   int // the first piece after it
	size  int // in bytes
	lines int // 0 if it begins or ends within a line
}

// gapFrom returns the gap that begins with piece i.
func gapFrom(pieces []piece, show []bool, i int) gap {
	g := gap{end: i}
	whole := i == 0 || pieces[i-1].ends
	for ; g.end < len(pieces) && !show[g.end]; g.end++ {
		g.size += pieces[g.end].size()
		if p := pieces[g.end]; p.ends || g.end+1 == len(pieces) && p.text != "" {
			g.lines++
		}
	}
	if last := pieces[g.end-1]; !whole || !last.ends && g.end < len(pieces) {
		g.lines = 0
	}
	return g
}

// String returns the mark of the gap without the closing bracket.
func (g gap) String() string {
	switch g.lines {
	case 0:
		return fmt.Sprintf("[… %s bytes left out", Thousands(g.size))
	case 1:
		return "[… 1 line left out"
	}
	return fmt.Sprintf("[… %s lines left out", Thousands(g.lines))
}
