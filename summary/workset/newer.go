package workset

import (
	"slices"
	"strings"
)

// newerLines records, for each file, the lines that newer texts show, replace or delete. Calls are
// added from the newest to the oldest.
type newerLines struct {
	paths
	files   []newerFile
	changes changeList
	byPath  map[string]*changed
}

type newerFile struct {
	lines  map[string]bool // true if the line is no longer in the file
	parts  []string        // parts of lines that were replaced: lines with them are out of date
	runs   []run           // sequences of lines that were replaced as a whole
	inRuns int             // the number of lines in runs
	short  []replacement   // the newest first
	// compared is how many lines of blocks were compared with lines of runs.
	compared int
	closed   bool // all older lines are out of date
}

// Limits on what is remembered of a file: each of its blocks is compared with all of it.
const (
	maxParts    = 64   // replaced parts of lines, and runs of lines
	maxRunLines = 4096 // lines of all runs together
)

// of returns the file of a path. If it is unknown, it is added with room for some lines.
func (n *newerLines) of(path string, lines int) *newerFile {
	i := n.find(path)
	if i < 0 {
		i = len(n.files)
		n.add(path, i)
		n.files = append(n.files, newerFile{lines: make(map[string]bool, lines)})
	}
	return &n.files[i]
}

// addSource adds the lines of a text, and those that it replaces. It returns the blocks of the text
// that newer texts do not show. Of equal blocks, it returns the last.
func (n *newerLines) addSource(src *source) (blocks []Block) {
	all := src.blocks()
	blocks = make([]Block, 0, len(all))
	if len(all) > 0 && src.Path != "" {
		n.of(src.Path, len(src.lines))
	}
	for i := range slices.Backward(all) {
		known := len(blocks)
		blocks = n.appendLeft(blocks, &all[i])
		for k := range blocks[known:] {
			n.note(src.Path, blocks[known+k].Lines, false)
		}
	}
	n.addLines(src)
	return blocks
}

// addLines is addSource without the blocks.
func (n *newerLines) addLines(src *source) {
	n.note(src.Path, src.lines, false)
	if src.gone != "" && !strings.Contains(src.gone, "\n") && src.Path != "" {
		if f := n.of(src.Path, 0); counts(src.gone) && len(f.parts) < maxParts {
			f.parts = append(f.parts, strings.TrimSpace(src.gone))
		}
	} else if src.gone != "" {
		stays := map[string]bool{}
		for _, l := range src.lines {
			stays[strings.TrimSpace(l)] = true
		}
		gone := slices.DeleteFunc(strings.Split(src.gone, "\n"), func(l string) bool {
			return stays[strings.TrimSpace(l)]
		})
		n.note(src.Path, gone, true)
	}
	if r, ok := runOf(src.before, src.lines); ok && src.Path != "" {
		f := n.of(src.Path, 0)
		if len(f.runs) < maxParts && f.inRuns+len(r.lines) <= maxRunLines {
			f.runs = append(f.runs, r)
			f.inRuns += len(r.lines)
		}
	}
	if isShort(src.before) && src.Path != "" {
		n.of(src.Path, 0).addShort(replacement{src.before, src.At})
	}
	if src.whole && src.Path != "" {
		n.of(src.Path, 0).closed = true
	}
}

// note records lines of a file, unless newer texts have them.
func (n *newerLines) note(path string, lines []string, gone bool) {
	if path == "" {
		return
	}
	f := n.of(path, len(lines))
	for _, l := range lines {
		if l = content(l); l != "" {
			if _, known := f.lines[l]; !known {
				f.lines[l] = gone
			}
		}
	}
}

// left returns the remains of older blocks: those of which newer texts show or replace at most
// seven tenths, without the lines that are no longer in the file.
func (n *newerLines) left(blocks []Block) (left []Block) {
	left = make([]Block, 0, len(blocks))
	for i := range blocks {
		left = n.appendLeft(left, &blocks[i])
	}
	return left
}

// appendLeft appends the remains of one block to others.
func (n *newerLines) appendLeft(left []Block, b *Block) []Block {
	if b.Path == "" {
		return append(left, *b)
	}
	state := n.changedSince(b.Path)
	if state.replaced {
		return left
	}
	if b.Touched == 0 && state.touched > 0 {
		at := *b
		at.Touched = state.touched
		b = &at
	}
	i := n.find(b.Path)
	if i < 0 {
		return append(left, *b)
	}
	from := len(left)
	left = n.files[i].appendLeft(left, b)
	n.files[i].touch(left[from:])
	return left
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
