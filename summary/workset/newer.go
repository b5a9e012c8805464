package workset

import (
	"slices"
	"strings"

	"killick/transcript"
)

// newerLines records, for each file, the lines that newer texts show, replace or delete. Calls are
// added from the newest to the oldest.
type newerLines struct {
	paths
	files   []newerFile
	changes changeList
	byPath  map[string]*changed
}

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
	if src.Path == "" {
		return
	}
	n.note(src.Path, src.lines, false)
	f := n.of(src.Path, 0)
	if strings.Contains(src.gone, "\n") {
		n.note(src.Path, strings.Split(src.gone, "\n"), true)
	} else if counts(src.gone) && len(f.parts) < maxParts {
		f.parts = append(f.parts, strings.TrimSpace(src.gone))
	}
	if r, ok := runOf(src.before, src.lines); ok && len(f.runs) < maxParts &&
		f.inRuns+len(r.lines) <= maxRunLines {
		f.runs = append(f.runs, r)
		f.inRuns += len(r.lines)
	}
	if isShort(src.before) {
		f.short.add(replacement{src.before, src.At})
	}
	f.closed = f.closed || src.whole
}

// note records lines of a file, unless newer texts have them, or this text, if they are gone.
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
	n.files[i].short.touch(left[from:])
	return left
}

// addChanges adds what a call does to files. done is set if its result is known.
func (n *newerLines) addChanges(c *transcript.Call, done bool) {
	for _, of := range c.Changes() {
		of.Sure = of.Sure && done
		n.changes.add(change{of, c.Caller + 1})
	}
}

// changedSince returns what the changes added so far did to a file.
func (n *newerLines) changedSince(path string) *changed {
	state := n.byPath[path]
	if state == nil {
		state = &changed{}
		if n.byPath == nil {
			n.byPath = map[string]*changed{}
		}
		n.byPath[path] = state
	}
	if state.seen == len(n.changes.all) || state.replaced {
		return state
	}
	for _, i := range n.changes.since(state.seen, path) {
		of := &n.changes.all[i]
		state.compared++
		state.work += of.Work(path)
		switch {
		case state.compared > maxCompared || state.work > maxWork || of.Replaces(path):
			state.replaced = true
			return state
		case n.changes.touches(i, path):
			state.touched = of.at
		}
	}
	state.seen = len(n.changes.all)
	return state
}
