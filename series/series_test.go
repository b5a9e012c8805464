package series

import (
	"slices"
	"testing"
)

func TestSeriesNeverChange(t *testing.T) {
	one := New(append(make([]int, 0, 8), 1, 2, 3))
	two := New(append(one.Grow(3), 4))
	other := New(append(one.Grow(3), 5)) // the room is taken
	shorter := New(append(two.Grow(2), 9))
	longer := New(append(two.Grow(4), 6))
	for _, c := range []struct {
		s    Of[int]
		want []int
	}{
		{one, []int{1, 2, 3}}, {two, []int{1, 2, 3, 4}}, {other, []int{1, 2, 3, 5}},
		{shorter, []int{1, 2, 9}}, {longer, []int{1, 2, 3, 4, 6}},
	} {
		if !slices.Equal(c.s.Items(), c.want) {
			t.Errorf("%v, want %v", c.s.Items(), c.want)
		}
	}
	if &one.items[0] != &longer.items[0] {
		t.Error("the first that grows copies")
	}
	if grown := new(Of[int]).Grow(0); len(grown) != 0 {
		t.Errorf("the empty series has %v", grown)
	}
}
