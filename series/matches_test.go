package series

import (
	"slices"
	"testing"
)

// A range may be asked for of a sequence that ends with it, after a later one of a longer sequence.
func TestMatchesLookAtNoLaterNumber(t *testing.T) {
	var m Matches
	for _, c := range []struct {
		from, to int
		want     []int
	}{
		{8, 11, []int{8, 10}},
		{0, 5, []int{0, 2, 4}},
		{2, 11, []int{2, 4, 6, 8, 10}},
		{1, 3, []int{2}},
	} {
		got := m.In(c.from, c.to, func(i int) bool {
			if i >= c.to {
				t.Errorf("in [%d, %d): %d was inspected", c.from, c.to, i)
			}
			return i%2 == 0
		})
		if !slices.Equal(got, c.want) {
			t.Errorf("in [%d, %d): %v, want %v", c.from, c.to, got, c.want)
		}
	}
}

func TestMatchesLookAtEachNumberOnce(t *testing.T) {
	looked := map[int]int{}
	even := func(i int) bool {
		looked[i]++
		return i%2 == 0
	}
	var m Matches
	for _, c := range []struct {
		from, to int
		want     []int
	}{
		{5, 5, nil},
		{4, 8, []int{4, 6}},
		{5, 7, []int{6}},
		{10, 13, []int{10, 12}},
		{1, 6, []int{2, 4}},
		{0, 13, []int{0, 2, 4, 6, 8, 10, 12}},
	} {
		if got := m.In(c.from, c.to, even); !slices.Equal(got, c.want) {
			t.Errorf("in [%d, %d): %v, want %v", c.from, c.to, got, c.want)
		}
	}
	for i := range 13 {
		if looked[i] != 1 {
			t.Errorf("%d was inspected %d times, want once", i, looked[i])
		}
	}
}
