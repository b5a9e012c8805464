package workset

import (
	"math/bits"
	"slices"
	"strings"

	"killick/summary/quotes"
	"killick/view"
)

// signals are the facts that the worth of a block depends on.
type signals struct {
	written  bool
	part     bool // the assistant asked for these lines
	age      int  // tokens since the text
	asked    int  // how often persons named the file
	changes  int  // how often the file was written
	changed  int  // tokens since it was written last, -1 if it never was
	named    bool // the newest messages of the assistant name the file
	expected bool // the text came after the latest request, and the file was never written
}

// worth returns how likely it is that an edit must quote the block in the next 25,000 tokens, as a
// logarithm; only the order matters. The weights are those of a logistic regression over the blocks
// of recorded coding sessions, rounded; docs/tuning.md describes the fit.
// Integer arithmetic makes every machine choose the same blocks.
func (s *signals) worth() int {
	w := 7*log2(1+s.changes) + 4*log2(1+s.asked) - 6*log2(1+s.age)
	if s.changed >= 0 {
		w -= log2(1 + s.changed)
		if s.changed < s.age {
			w -= 4 * 16
		}
	}
	if s.written {
		w += 27 * 16
	}
	if s.part {
		w += 17 * 16
	}
	if s.named {
		w += 4 * 16
	}
	if s.expected {
		w += 12 * 16
	}
	return w
}

// ranking holds the worths of the blocks of a pool at the end of a span of turns.
type ranking struct {
	place  int             // of the end, in tokens from the start of the conversation
	recent map[string]bool // the names of files in recent messages of the assistant
	worths []int
}

// recentTokens is how far back a message of the assistant counts as recent.
const recentTokens = 6000

func newRanking(s *quotes.Source, p *Pool, to int) *ranking {
	r := &ranking{place: s.PlaceOf(to), recent: map[string]bool{}}
	if len(p.Blocks) == 0 {
		return r
	}
	for i := to - 1; i >= 0 && s.PlaceOf(i) >= r.place-recentTokens; i-- {
		if s.Messages[i].Role() != view.Assistant {
			continue
		}
		for _, path := range s.PathsIn(i) {
			r.recent[lastName(path)] = true
		}
	}
	files := newFileTable(p.Files)
	r.worths = make([]int, len(p.Blocks))
	for i := range p.Blocks {
		sig := r.signals(&p.Blocks[i], files, p.Request)
		r.worths[i] = sig.worth()
	}
	return r
}

func (r *ranking) signals(b *Block, files *fileTable, request int) signals {
	s := signals{written: b.Written, part: b.Part, age: r.place - b.Place, changed: -1}
	if b.Path == "" {
		return s
	}
	if i := files.find(b.Path); i >= 0 {
		f := &files.files[i]
		s.asked, s.changes = f.Asked, f.Changes
		if f.Changed >= 0 {
			s.changed = r.place - f.Changed
		}
	}
	s.named = r.recent[lastName(b.Path)]
	s.expected = b.At > request && s.changed < 0
	return s
}

// order returns the indexes of the blocks, the most likely to be needed first.
func (r *ranking) order() []int {
	order := make([]int, len(r.worths))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return r.worths[b] - r.worths[a] })
	return order
}

// cost estimates the tokens that a block takes, including the bars before its lines.
func (b *Block) cost() int {
	n := labelCost
	for _, l := range b.Lines {
		n += len(strings.TrimSpace(l))*3/10 + 3
	}
	return n
}

// labelCost is about how many tokens the label above a block takes.
const labelCost = 12

// log2 returns the base-2 logarithm of n in sixteenths, rounded down, with linear interpolation
// between powers of two; 0 for less than 1.
func log2(n int) int {
	if n < 1 {
		return 0
	}
	power := bits.Len(uint(n)) - 1
	return 16*power + (n<<4)>>power - 16
}
