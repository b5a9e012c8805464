package checkpoint

import (
	"killick/compactor/layout"
	"killick/view"
)

// staying returns the messages of the first n that stay, in order.
func staying(v *layout.View, n int) (stays []int) {
	if v.Staying(n) == 0 {
		return nil
	}
	for i := range n {
		if v.Stays(i) {
			stays = append(stays, i)
		}
	}
	return stays
}

// staysBetween reports whether a message of [from, to) stays. Messages that stay keep their order.
func staysBetween(v *layout.View, from, to int) bool {
	for i := from; i < to; i++ {
		if v.Stays(i) {
			return true
		}
	}
	return false
}

// onlyInstructs reports whether a message is an instruction and nothing else that must stay.
func onlyInstructs(m *view.Message) bool {
	return m.Role().Instructs() && !m.Is(view.Fixed|view.Unknown)
}
