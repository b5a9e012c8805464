package layout

import (
	"slices"

	"killick/series"
	"killick/view"
	"killick/view/marks"
)

// structured is the remembered part of a structure.
type structured struct {
	rules    view.Rules
	grouping view.Grouping
	turn     series.Of[int]
	turns    series.Of[int]
}

// structureKey is its key in a view.Memory.
type structureKey struct{}

// MayBeMarked reports whether message i may have a cache mark.
func (v *View) MayBeMarked(i int) bool { return v.marked.At(v.Lead + i) }

// Split determines the groups and the facts about them that decisions need. A request that fits
// never needs them.
func (v *View) Split() {
	v.marked = marks.CandidatesOf(v.Request)
	memory := v.Request.Memory()
	kept, n := memory.Load(structureKey{})
	known, _ := kept.(*structured)
	if known == nil {
		known, n = &structured{}, 0
	}
	if n > 0 && n == len(v.Messages) && known.grouping.Messages() == n &&
		known.rules == v.Rules {
		v.Groups, v.open = known.grouping.Groups, known.grouping.FirstOpen(v.Rules)
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
	v.open = grouping.FirstOpen(v.Rules)
	v.stay()
	next := &structured{
		v.Rules, grouping, series.New(v.turn), series.New(v.turns),
	}
	const groupBytes = 24 + 2*8
	memory.Store(structureKey{}, next, len(v.Messages), groupBytes*int64(next.turn.Cap()))
}

// stay sets staying and held.
func (v *View) stay() {
	v.held = len(v.Messages)
	if v.Rules.Held {
		held := func(g view.Group) bool { return g.Held }
		if first := slices.IndexFunc(v.Groups, held); first >= 0 {
			v.held = v.Groups[first].Start
		}
	}
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
