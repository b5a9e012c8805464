package redact

import (
	"slices"
	"strings"
)

// automaton finds all keywords in a text at once, case-insensitively and with one look-up per byte
// (Aho and Corasick's algorithm).
type automaton struct {
	classes [256]uint8 // bytes that are in no keyword share class 0
	width   int
	next    []uint16 // by state and class
	ends    [][]*keyword
	// steps is next in the form that each uses: states are multiplied by width, and have the bit
	// ended if a keyword ends there, and the bit begun if at most the last byte begins one.
	steps []uint32
	// starts has, for each of the first three bytes of a keyword, a bit for each keyword; similar
	// ones share one. Where no bit is in all three sets, no keyword begins that matters.
	starts [3][256]uint64
}

const (
	ended = 1 << 31
	begun = 1 << 30
)

// newAutomaton builds the automaton of a list of keywords.
func newAutomaton(words []*keyword) *automaton {
	a := &automaton{width: 1}
	for _, w := range words {
		for i := range len(w.text) {
			if b := w.text[i]; a.classes[b] == 0 {
				a.classes[b] = uint8(a.width)
				a.width++
			}
		}
	}
	for b := byte('a'); b <= 'z'; b++ {
		a.classes[b-'a'+'A'] = a.classes[b]
	}
	a.addState()
	for _, w := range words {
		state := 0
		for i := range len(w.text) {
			at := state*a.width + int(a.classes[w.text[i]])
			if a.next[at] == 0 {
				a.next[at] = uint16(a.addState())
			}
			state = int(a.next[at])
		}
		a.ends[state] = append(a.ends[state], w)
	}
	a.link()
	a.addStarts(words)
	return a
}

// addStarts sets starts: contexts are found in any case, formats as they are spelled.
func (a *automaton) addStarts(words []*keyword) {
	type spelling struct {
		text    string
		anyCase bool
	}
	var all []spelling
	for _, k := range words {
		for _, r := range k.rules {
			all = append(all, spelling{r.shape.literal, false})
		}
		if k.context != nil {
			all = append(all, spelling{k.text, true})
		}
	}
	slices.SortFunc(all, func(s, o spelling) int { return strings.Compare(s.text, o.text) })
	for n, s := range all {
		bit := uint64(1) << (n * 64 / len(all))
		for i := range a.starts {
			for b := range 256 {
				if i >= len(s.text) || s.text[i] == byte(b) ||
					s.anyCase && a.classes[s.text[i]] == a.classes[b] {
					a.starts[i][b] |= bit
				}
			}
		}
	}
}

func (a *automaton) addState() int {
	a.next = append(a.next, make([]uint16, a.width)...)
	a.ends = append(a.ends, nil)
	return len(a.ends) - 1
}

// link turns the tree into the automaton: where no keyword continues, it continues with the longest
// suffix that begins another keyword.
func (a *automaton) link() {
	fallback := make([]int, len(a.ends))
	queue := []int{0}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		for c := range a.width {
			at := state*a.width + c
			to := int(a.next[at])
			other := 0
			if state != 0 {
				other = int(a.next[fallback[state]*a.width+c])
			}
			if to == 0 {
				a.next[at] = uint16(other)
				continue
			}
			fallback[to] = other
			a.ends[to] = append(a.ends[to], a.ends[other]...)
			queue = append(queue, to)
		}
	}
	first := a.next[:a.width] // the states after one byte
	a.steps = make([]uint32, len(a.next))
	for i, state := range a.next {
		a.steps[i] = uint32(int(state) * a.width)
		if state == 0 || slices.Contains(first, state) {
			a.steps[i] |= begun
		}
		if len(a.ends[state]) > 0 {
			a.steps[i] |= ended
		}
	}
}

// each calls yield for every occurrence of a keyword in s that has a context or the spelling of a
// rule, and maybe for others, in the order of their ends.
func (a *automaton) each(s string, yield func(k *keyword, start, end int)) {
	for i := a.start(s, 0); i < len(s); i = a.start(s, i) {
		state := a.steps[a.classes[s[i]]] &^ begun
		for i++; i < len(s); i++ {
			state = a.steps[state+uint32(a.classes[s[i]])]
			if state&begun != 0 {
				break
			}
			if state&ended == 0 {
				continue
			}
			state &^= ended
			for _, k := range a.ends[int(state)/a.width] {
				yield(k, i+1-len(k.text), i+1)
			}
		}
	}
}

// start returns the first place from i on at which a keyword may begin.
func (a *automaton) start(s string, i int) int {
	for ; i+2 < len(s); i++ {
		if a.starts[0][s[i]]&a.starts[1][s[i+1]]&a.starts[2][s[i+2]] != 0 {
			break
		}
	}
	return i
}
