package search

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// Finder searches texts for a fixed set of references and lines, and reads each text once.
//
// References are found as whole words: no letter, digit or underscore precedes or follows. Lines
// are found anywhere, because tools that read and search put line numbers and file names before
// them.
type Finder struct {
	References []string
	Lines      []string

	names   node
	windows map[uint64][]int32 // lines by the hash of their first bytes
	filter  []uint64           // bitmap of the hashes that may be in windows
	mark    []bool             // of references, then lines: found in the current text
}

// Found lists what a text contains, by number, in no particular order.
type Found struct{ References, Lines []int32 }

// MinLine is the least size of a line in bytes.
const MinLine = 24

// NewFinder returns a finder of references and of lines of at least MinLine bytes.
func NewFinder(references, lines []string) *Finder {
	f := &Finder{
		References: references, Lines: lines,
		windows: make(map[uint64][]int32, len(lines)),
		filter:  make([]uint64, filterBits/64),
		mark:    make([]bool, len(references)+len(lines)),
	}
	for i, r := range references {
		f.names.add(r, int32(i))
	}
	for i, l := range lines {
		h := windowHash(l)
		f.windows[h] = append(f.windows[h], int32(i))
		bit := filterBit(h)
		f.filter[bit/64] |= 1 << (bit % 64)
	}
	return f
}

// In returns what text contains.
func (f *Finder) In(text []byte) (all Found) {
	f.eachLine(text, func(id int32) {
		if at := len(f.References) + int(id); !f.mark[at] {
			f.mark[at] = true
			all.Lines = append(all.Lines, id)
		}
	})
	f.eachName(text, func(id int32) {
		if !f.mark[id] {
			f.mark[id] = true
			all.References = append(all.References, id)
		}
	})
	for _, id := range all.Lines {
		f.mark[len(f.References)+int(id)] = false
	}
	for _, id := range all.References {
		f.mark[id] = false
	}
	all.References, all.Lines = slices.Clip(all.References), slices.Clip(all.Lines)
	return all
}

// Lines: a rolling hash over the text with a window as long as the shortest line.

const (
	hashBase   = 0x9E3779B97F4A7C15 // odd
	filterBits = 1 << 18
)

// hashOut is the factor that removes the oldest byte of a window from its hash.
var hashOut = func() uint64 {
	p := uint64(1)
	for range MinLine {
		p *= hashBase
	}
	return p
}()

func windowHash(line string) (h uint64) {
	for i := range MinLine {
		h = h*hashBase + uint64(line[i]) + 1
	}
	return h
}

// filterBit uses the high bits: the low bits of a product only depend on the low bits of the bytes.
func filterBit(h uint64) uint64 { return h >> (64 - 18) }

func (f *Finder) eachLine(text []byte, yield func(int32)) {
	if len(f.Lines) == 0 || len(text) < MinLine {
		return
	}
	var h uint64
	for i := range text {
		h = h*hashBase + uint64(text[i]) + 1
		start := i + 1 - MinLine
		if start > 0 {
			h -= hashOut * (uint64(text[start-1]) + 1)
		}
		if start < 0 {
			continue
		}
		if bit := filterBit(h); f.filter[bit/64]&(1<<(bit%64)) == 0 {
			continue
		}
		for _, id := range f.windows[h] {
			line := f.Lines[id]
			if len(text)-start >= len(line) && string(text[start:start+len(line)]) == line {
				yield(id)
			}
		}
	}
}

// node is a node of the prefix tree of references.
type node struct {
	label string // the bytes of the edge to it
	id    int32  // of the reference that ends here, plus one
	next  []*node
}

func (n *node) add(word string, id int32) {
	for _, child := range n.next {
		common := commonPrefix(child.label, word)
		if common == 0 {
			continue
		}
		if common < len(child.label) {
			rest := *child
			rest.label = child.label[common:]
			*child = node{label: child.label[:common], next: []*node{&rest}}
		}
		if common == len(word) {
			child.id = id + 1
		} else {
			child.add(word[common:], id)
		}
		return
	}
	n.next = append(n.next, &node{label: word, id: id + 1})
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// eachName yields the references that begin and end at word boundaries.
func (f *Finder) eachName(text []byte, yield func(int32)) {
	var first [256]*node
	for _, n := range f.names.next {
		first[n.label[0]] = n
	}
	for i := range text {
		n := first[text[i]]
		if n == nil || endsInWord(text[:i]) {
			continue
		}
		for at := i; n != nil && bytes.HasPrefix(text[at:], []byte(n.label)); {
			at += len(n.label)
			if n.id > 0 && !beginsInWord(text[at:]) {
				yield(n.id - 1)
			}
			n = n.child(text, at)
		}
	}
}

func (n *node) child(text []byte, at int) *node {
	if at < len(text) {
		for _, child := range n.next {
			if child.label[0] == text[at] {
				return child
			}
		}
	}
	return nil
}

func beginsInWord(text []byte) bool {
	r, size := utf8.DecodeRune(text)
	return size > 0 && inWord(r)
}

func endsInWord(text []byte) bool {
	r, size := utf8.DecodeLastRune(text)
	return size > 0 && inWord(r)
}

func inWord(r rune) bool { return r == '_' || kindOf(r)&(letter|digit) != 0 }
