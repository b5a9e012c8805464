package series

import "slices"

// Matches are the numbers of a range for which something holds. The range grows as it is asked for,
// and each number in it is inspected once. It begins anew where it is asked for numbers that all
// precede it: those between may not exist yet. The zero value is empty. It is not safe for
// concurrent use.
type Matches struct {
	from, to int
	all      []int
}

// In returns those in [from, to) for which holds is true, in order. They must not be changed nor
// appended to. holds must always return the same for a number.
func (m *Matches) In(from, to int, holds func(i int) bool) []int {
	if from >= to {
		return nil
	}
	if m.from == m.to || to < m.from {
		*m = Matches{from: from, to: from}
	}
	if from < m.from {
		var earlier []int
		for i := from; i < m.from; i++ {
			if holds(i) {
				earlier = append(earlier, i)
			}
		}
		m.all, m.from = append(earlier, m.all...), from
	}
	for ; m.to < to; m.to++ {
		if holds(m.to) {
			m.all = append(m.all, m.to)
		}
	}
	first, _ := slices.BinarySearch(m.all, from)
	end, _ := slices.BinarySearch(m.all, to)
	return m.all[first:end:end]
}
