package prepare

import (
	"fmt"
	"testing"

	"killick/compactor/checkpoint"
)

func TestStandingsAreBounded(t *testing.T) {
	s := NewBackoffs()
	name := func(i int) func(int) string { return func(n int) string { return fmt.Sprint(i, "/", n) } }
	for i := range mostBackoffs + 10 {
		s.set(Backoff{Name: name(i)(3), Kind: Cooling, until: i})
	}
	if s.order.Len() != mostBackoffs || len(s.known) != mostBackoffs {
		t.Errorf("%d remembered", s.order.Len())
	}
	if s.Of(9, name(0)) != nil || s.Of(2, name(50)) != nil {
		t.Error("a forgotten or later standing was found")
	}
	st := s.Of(9, name(50))
	if st == nil || st.KindAt(50, 0) != Cooling || st.KindAt(51, 0) != Ready || st.On(checkpoint.Base{Covers: 1}).KindAt(1, 0) != Ready {
		t.Errorf("standing %+v", st)
	}
	s.set(Backoff{Name: name(50)(3), Kind: Exhausted, until: 7})
	if st = s.Of(9, name(50)); st.KindAt(1e9, 7) != Exhausted || st.KindAt(0, 8) != Ready {
		t.Errorf("standing %+v", st)
	}
}
