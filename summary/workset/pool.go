package workset

import (
	"slices"
	"strings"

	"killick/reference"
	"killick/summary"
	"killick/transcript"
	"killick/view"
)

// Extend returns the pool of the turns before message to: that of the turns before from, nil for
// none, with the blocks of the turns [from, to). calls are those made in these turns. A block whose
// lines were shown again, replaced or deleted later is left out.
func Extend(s *summary.Source, known *Pool, calls []transcript.Call, from, to int) *Pool {
	if known == nil {
		known = &Pool{}
	}
	files := newFileTable(known.Files)
	newer := newerLines{}
	var blocks []Block // the newest first
	for i := range slices.Backward(calls) {
		c := &calls[i]
		if c.Result < 0 || c.Result >= to || c.Failed() {
			continue
		}
		for _, src := range slices.Backward(sourcesOf(s, c, s.Text(c.Result))) {
			blocks = newer.add(&src, blocks)
		}
		newer.delete(c)
	}
	for i := range calls {
		if c := &calls[i]; c.Result >= 0 && c.Result < to && !c.Failed() {
			files.note(c, s.Before(c.Caller))
		}
	}
	old := slices.Clone(known.Blocks)
	slices.Reverse(old)
	blocks = append(blocks, newer.left(old, blocks)...)
	for i := from; i < to; i++ {
		if s.Messages[i].Role() == view.User && s.Message(i).Speaker == transcript.Person {
			files.asked(s.Message(i).Words())
		}
	}
	p := &Pool{Blocks: blocks, Files: files.lastUsedFirst()}
	r := p.ranking(s, to)
	order := r.order()
	p.Blocks = make([]Block, min(len(order), maxBlocks))
	keep := order[:len(p.Blocks)]
	slices.Sort(keep)
	for i, at := range keep {
		p.Blocks[len(keep)-1-i] = blocks[at]
	}
	return p
}

// newerLines are the lines of each file that stand in newer texts or were replaced later.
type newerLines map[string]*newerFile

type newerFile struct {
	lines  map[string]int // the newest block that holds the line, or one of the two below
	closed bool           // all that is older is out of date
}

const (
	gone     = -1 // the line is no longer in the file
	notShown = -2 // no block holds it
)

func (n newerLines) of(name string) *newerFile {
	f := n[name]
	if f == nil {
		f = &newerFile{lines: map[string]int{}}
		n[name] = f
	}
	return f
}

// add adds the lines of a text, and those that it replaces, and returns the newer blocks with those
// of the text that are not in them. Of blocks that are alike the last counts.
func (n newerLines) add(src *source, newer []Block) []Block {
	blocks := src.blocks()
	for i := range slices.Backward(blocks) {
		left := n.left(blocks[i:i+1], newer)
		for k := range left {
			n.note(&left[k], len(newer)+k)
		}
		newer = append(newer, left...)
	}
	if src.Path == "" {
		return newer
	}
	f := n.of(base(src.Path))
	stays := map[string]bool{}
	for l := range strings.SplitSeq(src.text, "\n") {
		if _, rest, ok := cutNumber(l); ok && src.Kind == Read {
			l = rest
		}
		f.note(l, notShown)
		if src.gone != "" {
			stays[strings.TrimSpace(l)] = true
		}
	}
	for l := range strings.SplitSeq(src.gone, "\n") {
		if !stays[strings.TrimSpace(l)] {
			f.note(l, gone)
		}
	}
	f.closed = f.closed || src.whole
	return newer
}

// note notes the lines of a block by its number.
func (n newerLines) note(b *Block, number int) {
	if b.Path == "" {
		return
	}
	f := n.of(base(b.Path))
	for _, l := range b.Lines {
		f.note(l, number)
	}
}

// note notes a line, unless a newer text has it.
func (f *newerFile) note(l string, as int) {
	if l = strings.TrimSpace(l); weighty(l) {
		if _, known := f.lines[l]; !known {
			f.lines[l] = as
		}
	}
}

// delete notes the files that a call deletes.
func (n newerLines) delete(c *transcript.Call) {
	for _, p := range c.Paths {
		if p.Effect == transcript.Deletes && (c.Known() || p.Patch != "") {
			n.of(base(p.Name)).closed = true
		}
	}
}

// left returns what is left of blocks of one text or of older turns: those of which less than half
// stands in newer texts, without the lines that are no longer in the file. Blocks of newer texts
// take over what is known of those that they stand for.
func (n newerLines) left(blocks, newer []Block) (left []Block) {
	for _, b := range blocks {
		f := n[base(b.Path)]
		if f == nil || b.Path == "" {
			left = append(left, b)
			continue
		}
		all, again, lost, by := 0, 0, 0, notShown
		for _, l := range b.Lines {
			if l = strings.TrimSpace(l); !weighty(l) {
				continue
			}
			all++
			if as, known := f.lines[l]; known {
				again++
				if as == gone {
					lost++
				} else if by < 0 {
					by = as
				}
			}
		}
		switch {
		case 10*again > 7*all || f.closed:
			if by >= 0 && by < len(newer) {
				newer[by].Again += 1 + b.Again
			}
		case lost == 0:
			left = append(left, b)
		default:
			left = append(left, b.without(f)...)
		}
	}
	return left
}

// without returns the parts of a block between lines that are no longer in the file.
func (b Block) without(f *newerFile) (parts []Block) {
	from := 0
	for i := 0; i <= len(b.Lines); i++ {
		if i < len(b.Lines) {
			if as, known := f.lines[strings.TrimSpace(b.Lines[i])]; !known || as != gone {
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

// base is the last part of a path.
func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

// fileTable collects the uses of files.
type fileTable struct {
	files []File
	index map[string]int
}

func newFileTable(known []File) *fileTable {
	t := &fileTable{files: slices.Clone(known), index: map[string]int{}}
	for i := range t.files {
		t.index[t.files[i].Name] = i
	}
	return t
}

func (t *fileTable) at(name string) *File {
	i, ok := t.index[name]
	if !ok {
		i = len(t.files)
		t.index[name] = i
		t.files = append(t.files, File{Name: strings.Clone(name), Used: -1, Changed: -1})
	}
	return &t.files[i]
}

// note adds what a call did to files.
func (t *fileTable) note(c *transcript.Call, place int) {
	for _, p := range c.Paths {
		f := t.at(base(p.Name))
		f.Used = max(f.Used, place)
		if p.Effect == transcript.Writes {
			f.Changed = max(f.Changed, place)
			f.Changes++
		}
	}
	if shown := c.Shows(); shown.Lines {
		for _, path := range shown.Paths {
			f := t.at(base(path))
			f.Used = max(f.Used, place)
			f.Reads++
		}
	}
}

// asked adds the files that words of a person name.
func (t *fileTable) asked(words string) {
	reference.Each(words, func(word string, kind reference.Kind) {
		if kind == reference.Path {
			t.at(base(word)).Asked++
		}
	})
}

// lastUsedFirst returns the files that were used last.
func (t *fileTable) lastUsedFirst() []File {
	slices.SortStableFunc(t.files, func(a, b File) int { return b.Used - a.Used })
	return t.files[:min(len(t.files), maxFiles)]
}
