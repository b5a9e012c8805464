package preview

import (
	"fmt"
	"strings"

	"killick/reference"
	"killick/summary/excerpt"
)

// pieces are the units of an output that are shown or left out: lines, and parts of long lines.
type pieces struct {
	text string
	ends []int32 // the offset after each, with its line feed if it ends a line

	refs     []reference.Found // of all pieces, in order
	refsUpTo []int32           // for each piece, how many are in it and those before it
	divided  bool              // some pieces are parts of lines
}

// findRefs finds the references in all pieces. It is called once.
func (p *pieces) findRefs() {
	const usual = 64 // bytes for one reference
	p.refs = make([]reference.Found, 0, len(p.text)/usual)
	p.refsUpTo = make([]int32, 0, p.len())
	add := func(word string, kind reference.Kind) {
		p.refs = append(p.refs, reference.Found{Word: word, Kind: kind})
	}
	for i := range p.len() {
		reference.Each(p.piece(i), add)
		p.refsUpTo = append(p.refsUpTo, int32(len(p.refs)))
	}
}

// refsOf returns the references in each of the pieces [from, to).
func (p *pieces) refsOf(from, to int) []reference.Found {
	first := int32(0)
	if from > 0 {
		first = p.refsUpTo[from-1]
	}
	return p.refs[first:p.refsUpTo[to-1]]
}

// refsIn returns the references in the text of the pieces [from, to), which is not empty. No
// reference contains a line feed, so in whole lines they are those of the pieces. Parts of a line
// are read together.
func (p *pieces) refsIn(from, to int) reference.Finder {
	whole := from == 0 || p.endsLine(from-1)
	for i := from; i < to && whole; i++ {
		whole = p.endsLine(i) || i+1 == p.len()
	}
	if !whole {
		return reference.In(p.text[p.start(from):p.ends[to-1]])
	}
	return func(yield func(word string, kind reference.Kind)) {
		for _, r := range p.refsOf(from, to) {
			yield(r.Word, r.Kind)
		}
	}
}

func (p *pieces) len() int { return len(p.ends) }

func (p *pieces) start(i int) int {
	if i == 0 {
		return 0
	}
	return int(p.ends[i-1])
}

// piece returns piece i without a line feed at its end.
func (p *pieces) piece(i int) string {
	return strings.TrimSuffix(p.text[p.start(i):p.ends[i]], "\n")
}

// size returns the bytes of piece i.
func (p *pieces) size(i int) int { return int(p.ends[i]) - p.start(i) }

// endsLine reports whether a line feed ends piece i.
func (p *pieces) endsLine(i int) bool { return p.size(i) > 0 && p.text[p.ends[i]-1] == '\n' }

// firstOf returns the first piece of each of these lines, as far as the text has them.
func (p *pieces) firstOf(lines []int) (first []int) {
	at := make(map[int]int, len(lines))
	for _, line := range lines {
		at[line] = -1
	}
	line, starts := 0, true
	for i := 0; i < p.len() && len(lines) > 0; i++ {
		if _, wanted := at[line]; wanted && starts {
			at[line] = i
		}
		if starts = p.endsLine(i); starts {
			line++
		}
	}
	for _, line := range lines {
		if i := at[line]; i >= 0 {
			first = append(first, i)
		}
	}
	return first
}

const (
	longLine = 400 // maximum bytes of a line that is not divided
	maxPiece = 240 // maximum bytes of a piece of a longer line
	minPiece = 40  // minimum bytes of a piece that ends after a comma
)

// divide returns the pieces of a text. Long lines are divided as if they were JSON: after the line
// feeds in strings and the commas between values. Other text is cut after maxPiece bytes.
func divide(text string) *pieces {
	p := &pieces{text: text, ends: make([]int32, 0, strings.Count(text, "\n")+1)}
	for start := 0; start <= len(text); {
		end := start + strings.IndexByte(text[start:], '\n') + 1
		if end == start {
			end = len(text) + 1 // the last line
		}
		if end-1-start > longLine {
			p.divideLine(start, end-1)
			p.divided = true
		}
		p.ends = append(p.ends, int32(min(end, len(text))))
		start = end
	}
	return p
}

// divideLine adds the pieces of the long line text[start:end], without the last one.
func (p *pieces) divideLine(start, end int) {
	inString := false
	cut := func(at int) {
		if at < end {
			p.ends = append(p.ends, int32(at))
			start = at
		}
	}
	for i := start; i < end; i++ {
		switch c := p.text[i]; {
		case c == '"':
			inString = !inString
		case c == '\\' && i+1 < end:
			if i++; p.text[i] == 'n' && inString {
				cut(i + 1)
			}
		case c == ',' && !inString && i+1-start >= minPiece:
			cut(i + 1)
		}
		if i+1-start >= maxPiece {
			cut(excerpt.CutEnd(p.text, i+1, start+(i+1-start)/2))
		}
	}
}

// gap is a run of pieces that are left out.
type gap struct {
	end   int // the first piece after it
	size  int // in bytes
	lines int // 0 if it begins or ends within a line
}

// gapFrom returns the gap that begins with piece i.
func gapFrom(p *pieces, show []bool, i int) gap {
	g := gap{end: i}
	whole := i == 0 || p.endsLine(i-1)
	for ; g.end < p.len() && !show[g.end]; g.end++ {
		g.size += p.size(g.end)
		if p.endsLine(g.end) || g.end+1 == p.len() && p.size(g.end) > 0 {
			g.lines++
		}
	}
	if !whole || !p.endsLine(g.end-1) && g.end < p.len() {
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
