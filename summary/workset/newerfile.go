package workset

import (
	"slices"
	"strings"
)

// newerFile records the lines of one file that newer texts show, replace or delete.
type newerFile struct {
	lines  map[string]bool // true if the line is no longer in the file
	parts  []string        // parts of lines that were replaced: lines with them are out of date
	runs   []run           // sequences of lines that were replaced as a whole
	inRuns int             // the number of lines in runs
	short  replacements
	// compared is how many lines of blocks were compared with lines of runs.
	compared int
	closed   bool // all older lines are out of date
}

// replaced reports for each line of a block whether a later edit replaced it as part of a run.
// Newer text may contain the line, next to other lines.
func (f *newerFile) replaced(lines []string) []bool {
	in := make([]bool, len(lines))
	if len(f.runs) == 0 {
		return in
	}
	trimmed := make([]string, len(lines))
	for i, l := range lines {
		trimmed[i] = strings.TrimSpace(l)
	}
	for i := range f.runs {
		r := &f.runs[i]
		for at := 1 - len(r.lines); at < len(lines); at++ { // the line at which the run would begin
			from, to := max(at, 0), min(at+len(r.lines), len(lines))
			start, end := max(from, at+r.from), min(to, at+r.to)
			if start >= end || !slices.Contains(in[start:end], false) {
				continue // it would replace none of these lines, or they are replaced already
			}
			gone := in[start:end]
			same, steps := r.matches(trimmed[from:to], from-at)
			f.compared += steps
			if same {
				for k := range gone {
					gone[k] = true
				}
			}
		}
	}
	return in
}

// appendLeft appends what newer texts leave of a block.
func (f *newerFile) appendLeft(left []Block, b *Block) []Block {
	switch {
	case f.closed:
		return left
	case len(f.lines) == 0 && len(f.parts) == 0 && len(f.runs) == 0:
		return append(left, *b)
	}
	replaced := f.replaced(b.Lines)
	all, again, gone := 0, 0, 0
	for k, l := range b.Lines {
		if l = content(l); l == "" {
			continue
		}
		all++
		if lost, known := f.look(l); lost || replaced[k] {
			gone++
		} else if known {
			again++
		}
	}
	switch {
	case 10*(again+gone) > 7*all:
		return left
	case gone == 0:
		return append(left, *b)
	}
	return append(left, f.without(*b, replaced)...)
}

// look reports whether a line was replaced later, and whether newer texts have it.
func (f *newerFile) look(l string) (lost, known bool) {
	gone, known := f.lines[l]
	return gone || !known && slices.ContainsFunc(f.parts, func(part string) bool {
		return strings.Contains(l, part)
	}), known
}

// without returns the parts of a block between the lines that are no longer in the file.
func (f *newerFile) without(b Block, replaced []bool) (parts []Block) {
	from := 0
	for i := 0; i <= len(b.Lines); i++ {
		if i < len(b.Lines) {
			if lost, _ := f.look(strings.TrimSpace(b.Lines[i])); !lost && !replaced[i] {
				continue
			}
		}
		if p, ok := b.part(b.Lines, from, i, b.First); ok {
			parts = append(parts, p)
		}
		from = i + 1
	}
	return parts
}
