package layout

import (
	"slices"

	"killick/internal/series"
	"killick/view"
)

// structure is which messages of a conversation belong together, and what the groups are.
type structure struct {
	Groups []view.Group
	// For each group, where the last group up to it starts that an assistant message
	// begins; 0 if there is none.
	turn   []int
	turns  []int // for each group, how many assistant messages stand up to its end
	marked view.MaybeMarked
	open   int // where the first group with an unanswered call starts
	// For each group, the size of the groups up to it that are fixed, without instructions;
	// nil if none is.
	staying []int
}

// structured is what is remembered of that.
type structured struct {
	rules    view.Rules
	grouping view.Grouping
	turn     series.Of[int]
	turns    series.Of[int]
}

// structureKey is where it is kept in a view.Memory.
type structureKey struct{}

// MayBeMarked reports whether message i may hold a cache mark.
func (v *View) MayBeMarked(i int) bool { return v.marked.At(v.Lead + i) }

// Split finds the groups and what decisions ask of them; a request that fits
// never needs it.
func (v *View) Split() {
	v.marked = v.Request.MaybeMarked()
	memory := v.Request.Memory()
	kept, n := memory.Load(structureKey{})
	known, _ := kept.(*structured)
	if known == nil {
		known, n = &structured{}, 0
	}
	if n > 0 && n == len(v.Messages) && known.grouping.Messages() == n &&
		known.rules == v.Rules {
		v.Groups, v.open = known.grouping.Groups, known.grouping.FirstOpen()
		v.turn, v.turns = known.turn.Items(), known.turns.Items()
		v.stay()
		return
	}
	grouping := known.grouping.First(n).Extend(v.Messages, v.Rules)
	v.Groups = grouping.Groups
	// Groups before the first that was added or changed are the same.
	same := 0
	if known.rules == v.Rules {
		same = known.grouping.Same(grouping, n)
	}
	v.turn, v.turns = known.turn.Grow(same), known.turns.Grow(same)
	turn, turns := 0, 0
	if same > 0 {
		turn, turns = v.turn[same-1], v.turns[same-1]
	}
	for _, g := range v.Groups[same:] {
		if v.Messages[g.Start].Role() == view.Assistant {
			turn = g.Start
		}
		for j := g.Start; j < g.End; j++ {
			if v.Messages[j].Role() == view.Assistant {
				turns++
			}
		}
		v.turn, v.turns = append(v.turn, turn), append(v.turns, turns)
	}
	v.open = grouping.FirstOpen()
	v.stay()
	next := &structured{
		v.Rules, grouping, series.New(v.turn), series.New(v.turns),
	}
	const groupBytes = 24 + 2*8
	memory.Store(structureKey{}, next, len(v.Messages), groupBytes*int64(next.turn.Cap()))
}

// stay sums up what is fixed.
func (v *View) stay() {
	fixed := func(g view.Group) bool { return g.Fixed }
	if v.staying = nil; !slices.ContainsFunc(v.Groups, fixed) {
		return
	}
	v.staying = make([]int, len(v.Groups))
	size := 0
	for i, g := range v.Groups {
		if g.Fixed {
			size += v.Before[g.End] - v.Before[g.Start]
			size -= v.instructed[g.End] - v.instructed[g.Start]
		}
		v.staying[i] = size
	}
}
