package workset

import (
	"strings"

	"killick/summary/excerpt"
)

// source is a text from which blocks are taken.
type source struct {
	Block
	lines []string
	first int    // number of the first line within the file, 0 if unknown
	gone  string // lines that the text replaces in the file
	// before are the lines that the text replaced, including those around the change; "" if
	// unknown.
	before string
	whole  bool // the text is all of the file
}

// setLines sets the lines of the text, without their ends. An edit must quote the ends too, so it
// is noted if all of them are those of Windows. Of other lines, a carriage return is a part. What a
// command prints may have got its ends from a terminal.
func (s *source) setLines(text string) {
	text = strings.TrimRight(text[:min(len(text), maxText)], "\r\n")
	s.lines = strings.Split(text, "\n")
	ends := len(s.lines) - 1
	if s.CRLF = ends > 0 && strings.Count(text, "\r\n") == ends; s.CRLF {
		for i := range s.lines {
			s.lines[i] = strings.TrimSuffix(s.lines[i], "\r")
		}
	}
}

// blocks divides the text into blocks.
func (s *source) blocks() (blocks []Block) {
	blocks = make([]Block, 0, len(s.lines)/maxLines+2)
	for from := 0; from < len(s.lines); {
		to := from
		for to < len(s.lines) && to < from+maxLines && usable(s.lines[to]) {
			to++
		}
		if to == from {
			from++
			continue
		}
		if b, ok := s.part(s.lines, from, to, s.first); ok {
			blocks = append(blocks, b)
		}
		from = to
	}
	return blocks
}

// usable reports whether a line may be in a block, where an edit may quote it.
func usable(l string) bool {
	return len(l) <= maxLine && excerpt.Verbatim(l) && !strings.HasSuffix(l, cutLine)
}

// cutLine ends a line of which qwen-code (0.24.4) and gemini-cli (0.61.0) show the beginning.
const cutLine = "... [truncated]"
