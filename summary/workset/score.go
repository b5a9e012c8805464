package workset

import (
	"math/bits"
	"slices"
	"strings"

	"killick/reference"
	"killick/summary"
	"killick/view"
)

// ranking is what the worth of blocks depends on, at the end of the folded turns.
type ranking struct {
	pool    *Pool
	place   int // in tokens from the start of the conversation
	files   map[string]*File
	recent  map[string]int // references of the newest messages, with the place of the last
	todo    map[string]bool
	worths  []int
	request int // the message of the latest request
}

// recentTokens is how far back the newest messages reach.
const recentTokens = 6000

func (p *Pool) ranking(s *summary.Source, to int) *ranking {
	r := &ranking{pool: p, place: s.Before(to), files: map[string]*File{},
		recent: map[string]int{}}
	for i := range p.Files {
		r.files[p.Files[i].Name] = &p.Files[i]
	}
	for i := to - 1; i >= 0 && s.Before(i) >= r.place-recentTokens; i-- {
		m := &s.Messages[i]
		if m.Role() != view.Assistant && m.Role() != view.User {
			continue
		}
		note := func(word string, _ reference.Kind) { r.recent[word]++ }
		if m.Role() == view.User {
			reference.Each(s.Message(i).Words(), note)
			continue
		}
		reference.Each(s.Text(i), note)
		for _, c := range m.ToolCalls() {
			reference.Each(c.Arguments.Text(), note)
		}
	}
	for i := to - 1; i >= 0 && r.request == 0; i-- {
		if s.Messages[i].Role() == view.User && s.Message(i).Speaker == "user" {
			r.request = i + 1
		}
	}
	r.worths = make([]int, len(p.Blocks))
	for i := range p.Blocks {
		r.worths[i] = r.worth(&p.Blocks[i])
	}
	return r
}

// order returns the indexes of the blocks, the one most worth showing first.
func (r *ranking) order() []int {
	order := make([]int, len(r.worths))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.worths[b] - r.worths[a] })
	return order
}

const nFeatures = 18

// features of a block.
func (r *ranking) features(b *Block) (f [nFeatures]int) {
	file := r.files[base(b.Path)]
	if file == nil {
		file = &File{Used: b.Place, Changed: -1}
	}
	f[0] = log2(1 + max(0, r.place-b.Place))
	f[1] = log2(1 + max(0, r.place-file.Used))
	if file.Changed >= 0 {
		f[2] = 16
		f[3] = log2(1 + max(0, r.place-file.Changed))
	}
	f[4] = log2(1 + file.Changes)
	f[5] = log2(1 + file.Reads)
	f[6] = log2(1 + file.Asked)
	if b.Kind == Found {
		f[7] = 16
	}
	if b.Kind == Written {
		f[8] = 16
	}
	if b.Part {
		f[9] = 16
	}
	if file.Changed > b.Place {
		f[10] = 16 // changed since
	}
	words := map[string]bool{}
	for _, l := range b.Lines {
		reference.Each(l, func(word string, _ reference.Kind) { words[word] = true })
	}
	n, rare := 0, 0
	for w := range words {
		if r.recent[w] > 0 {
			n++
			rare += r.recent[w]
		}
	}
	f[11] = log2(1 + n)
	f[12] = log2(1 + rare)
	if r.recent[b.Path] > 0 || r.recent[base(b.Path)] > 0 {
		f[13] = 16
	}
	if b.Path == "" {
		f[14] = 16
	}
	f[15] = log2(1 + cost(b))
	f[16] = log2(1 + b.Again)
	if b.At > r.request && file.Changed < 0 {
		f[17] = 16
	}
	return f
}

func (r *ranking) worth(b *Block) int {
	w := 0
	for i, f := range r.features(b) {
		w += weights[i] * f
	}
	return w
}

var weights = [nFeatures]int{-6, 0, 0, -1, 7, 0, 4, 6, 27, 17, -4, 1, 0, 4, 0, 0, 0, 12}

// cost estimates the tokens that a block takes.
func cost(b *Block) int {
	n := 0
	for _, l := range b.Lines {
		n += len(strings.TrimSpace(l))*3/10 + 3
	}
	return n
}

// log2 returns the base-2 logarithm of n in sixteenths, rounded down, with linear interpolation
// between powers of two; 0 for less than 1.
func log2(n int) int {
	if n < 1 {
		return 0
	}
	power := bits.Len(uint(n)) - 1
	return 16*power + (n<<4)>>power - 16
}
