package workset

import (
	"slices"
	"strings"

	"killick/transcript"
)

// newerLines are the lines of each file that newer texts show, replaced or deleted. It is filled
// from the newest call to the oldest.
type newerLines struct {
	paths
	files []newerFile
}

type newerFile struct {
	lines  map[string]bool // true if the line is no longer in the file
	parts  []string        // of lines, replaced later: lines with them are no longer in the file
	closed bool            // all that is older is out of date
}

// maxParts limits the replaced parts of lines that are remembered of a file.
const maxParts = 64

// of returns the file of a path, which is added with room for some lines if it is not known.
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
// that newer texts do not show. Of blocks that are alike the last counts.
func (n *newerLines) addSource(src *source) (blocks []Block) {
	all := src.blocks()
	if len(all) > 0 && src.Path != "" {
		n.of(src.Path, len(src.lines))
	}
	for i := range slices.Backward(all) {
		left := n.left(all[i : i+1])
		for k := range left {
			n.note(src.Path, left[k].Lines, false)
		}
		blocks = append(blocks, left...)
	}
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
	if src.whole && src.Path != "" {
		n.of(src.Path, 0).closed = true
	}
	return blocks
}

// note notes lines of a file, unless newer texts have them.
func (n *newerLines) note(path string, lines []string, gone bool) {
	if path == "" {
		return
	}
	f := n.of(path, len(lines))
	for _, l := range lines {
		if l = strings.TrimSpace(l); counts(l) {
			if _, known := f.lines[l]; !known {
				f.lines[l] = gone
			}
		}
	}
}

// addDeletes notes the files that a call deletes.
func (n *newerLines) addDeletes(c *transcript.Call) {
	for _, p := range c.Paths {
		if p.Effect == transcript.Deletes && (c.Known() || p.Patch != "") {
			n.of(p.Name, 0).closed = true
		}
	}
}

// left returns what is left of older blocks: those of which newer texts show seven tenths at most,
// without the lines that are no longer in the file.
func (n *newerLines) left(blocks []Block) (left []Block) {
	for _, b := range blocks {
		i := -1
		if b.Path != "" {
			i = n.find(b.Path)
		}
		if i < 0 {
			left = append(left, b)
			continue
		}
		f := &n.files[i]
		all, again, gone := 0, 0, 0
		for _, l := range b.Lines {
			if l = strings.TrimSpace(l); !counts(l) {
				continue
			}
			all++
			if _, known := f.lines[l]; f.lost(l) {
				gone++
			} else if known {
				again++
			}
		}
		switch {
		case f.closed || 10*(again+gone) > 7*all:
		case gone == 0:
			left = append(left, b)
		default:
			left = append(left, f.without(b)...)
		}
	}
	return left
}

// lost reports whether a line was replaced later.
func (f *newerFile) lost(l string) bool {
	gone, known := f.lines[l]
	return gone || !known && slices.ContainsFunc(f.parts, func(part string) bool {
		return strings.Contains(l, part)
	})
}

// without returns the parts of a block between the lines that are no longer in the file.
func (f *newerFile) without(b Block) (parts []Block) {
	from := 0
	for i := 0; i <= len(b.Lines); i++ {
		if i < len(b.Lines) && !f.lost(strings.TrimSpace(b.Lines[i])) {
			continue
		}
		if p, ok := b.part(b.Lines, from, i, b.First); ok {
			parts = append(parts, p)
		}
		from = i + 1
	}
	return parts
}
