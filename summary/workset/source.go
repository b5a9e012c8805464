package workset

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"killick/summary"
	"killick/transcript"
)

// source is a text that blocks are taken from.
type source struct {
	Block
	text  string
	gone  string // lines that the text replaces in the file
	whole bool   // the text is all of the file
}

// sourcesOf returns the texts of a call that has a result.
// result is the text of its result.
func sourcesOf(s *summary.Source, c *transcript.Call, result string) (sources []source) {
	made := Block{At: c.Caller + 1, Place: s.Before(c.Caller)}
	for _, w := range c.Contents() {
		b := made
		b.Kind, b.Path = Written, w.Path
		if w.Whole {
			b.First = 1
		}
		sources = append(sources, source{b, s.Redacted(w.Text), w.Old, w.Whole})
	}
	if len(sources) > 0 {
		return sources
	}
	shown := c.Shows()
	if !shown.Lines && !shown.Found || c.Stub {
		return nil
	}
	b := made
	b.First, b.Part = shown.First, shown.Part
	if len(shown.Paths) == 1 {
		b.Path = shown.Paths[0]
	}
	if !shown.Lines {
		b.Kind, b.First = Found, 0
	}
	if b.Path == "" || !shown.Lines {
		b.Of = s.Redacted(summary.Describe(c, maxCall))
	}
	text := transcript.Output(result)
	if i := strings.Index(text, "\n<system-reminder>"); i >= 0 {
		text = text[:i]
	}
	return []source{{Block: b, text: s.Redacted(text), whole: shown.Whole}}
}

// maxCall limits the description of a call, in bytes.
const maxCall = 120

// blocks divides the text into blocks, where it can at empty lines.
func (s *source) blocks() (blocks []Block) {
	text := s.text[:min(len(s.text), maxSource)]
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if first, plain := withoutNumbers(lines); plain != nil {
		lines = plain
		if s.Kind == Read {
			s.First = first
		}
	}
	for from := 0; from < len(lines); {
		to := from
		for to < len(lines) && to < from+maxLines && usable(lines[to]) {
			to++
		}
		if to == from {
			from++
			continue
		}
		to = boundary(lines, from, to)
		if b, ok := s.Block.part(lines, from, to, s.First); ok {
			blocks = append(blocks, b)
		}
		from = to
	}
	return blocks
}

// boundary returns where a block from a line on ends, at most at to: before an unindented line that
// follows an empty one, else behind an empty line, if there is one in its second half.
func boundary(lines []string, from, to int) int {
	if to == len(lines) || to < from+maxLines {
		return to
	}
	end := to
	for i := to; i > from+maxLines/3; i-- {
		if !blank(lines[i-1]) {
			continue
		}
		if !indented(lines[i]) {
			return i
		}
		if end == to && i > from+maxLines/2 {
			end = i
		}
	}
	return end
}

func indented(l string) bool { return l == "" || l[0] == ' ' || l[0] == '\t' }

// part returns the block of the lines [from, to) without empty lines at its ends. first is the
// number of the first of lines, 0 if unknown. It is not ok if they hold too little.
func (b Block) part(lines []string, from, to, first int) (Block, bool) {
	for from < to && blank(lines[from]) {
		from++
	}
	for from < to && blank(lines[to-1]) {
		to--
	}
	size := 0
	for _, l := range lines[from:to] {
		if weighty(l) {
			size += len(strings.TrimSpace(l))
		}
	}
	b.Lines, b.First = lines[from:to:to], 0
	if first > 0 {
		b.First = first + from
	}
	return b, size >= leastBlock
}

// leastBlock is how many bytes of weight a block has at least.
const leastBlock = 24

// usable reports whether a line may stand in a block.
func usable(l string) bool { return len(l) <= maxLine && utf8.ValidString(l) }

func blank(l string) bool { return strings.TrimSpace(l) == "" }

// weighty reports whether a line says more than a brace does.
func weighty(l string) bool { return len(strings.TrimSpace(l)) >= 8 }

// withoutNumbers returns lines without the numbers that a reading tool has put before them, and the
// first number; nil if they are not numbered one after the other.
func withoutNumbers(lines []string) (first int, plain []string) {
	for i, l := range lines {
		n, rest, ok := cutNumber(l)
		switch {
		case !ok && i > 0 && plain != nil && i+2 >= len(lines) && blank(l):
			return first, plain
		case !ok || i > 0 && n != first+i:
			return 0, nil
		case i == 0:
			first, plain = n, make([]string, 0, len(lines))
		}
		plain = append(plain, rest)
	}
	return first, plain
}

// cutNumber splits "   12→text".
func cutNumber(l string) (n int, rest string, ok bool) {
	l = strings.TrimLeft(l, " ")
	digits := 0
	for digits < len(l) && '0' <= l[digits] && l[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 7 {
		return 0, "", false
	}
	n, _ = strconv.Atoi(l[:digits])
	for _, sep := range []string{"→", "\t", " | ", "|", ": ", ":"} {
		if rest, ok = strings.CutPrefix(l[digits:], sep); ok {
			return n, rest, true
		}
	}
	return n, "", l[digits:] == ""
}
