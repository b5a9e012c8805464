package layout

import (
	"killick/view"
	"killick/view/marks"
)

// structure has the groups of a conversation: messages that belong together.
type structure struct {
	Groups []view.Group
	// turn has, for each group, the start of the last group up to it that begins with an assistant
	// message; 0 if there is none.
	turn   []int
	turns  []int // for each group, the number of assistant messages up to its end
	marked marks.Candidates
	open   int // start of the first group with a call that may still be answered
	held   int // start of the first group of which only the server has a part
	// staying has, for each group, the size of the fixed groups up to it, without instructions. It
	// is nil if no group is fixed.
	staying []int
}

// GroupAt returns the index of the first group that starts at or after message
// i.
func (s *structure) GroupAt(i int) int {
	lo, hi := 0, len(s.Groups)
	for lo < hi {
		if mid := (lo + hi) / 2; s.Groups[mid].Start < i {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// MayCut reports whether no group has messages both before message i and from i on.
func (s *structure) MayCut(i int) bool {
	g := s.GroupAt(i)
	return g == 0 || s.Groups[g-1].End <= i
}

// AnsweredLate reports whether the first i messages have a call whose result is after them, though
// the model went on without it.
func (s *structure) AnsweredLate(i int) bool {
	return !s.MayCut(i) && s.Groups[s.GroupAt(i)-1].Late
}

// Unanswered returns the start of the messages that no assistant message has answered yet,
// including the call that they belong to. The model has to see them whole.
func (s *structure) Unanswered() int {
	if len(s.turn) == 0 {
		return 0
	}
	return s.turn[len(s.turn)-1]
}

// Answered returns how many turns the conversation has had.
func (s *structure) Answered() int {
	if len(s.turns) == 0 {
		return 0
	}
	return s.turns[len(s.turns)-1]
}

// AnyFixed reports whether any group is fixed.
func (s *structure) AnyFixed() bool { return s.staying != nil }
