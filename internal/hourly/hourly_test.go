package hourly

import (
	"testing"
	"time"
)

func TestAmountsCountForAnHour(t *testing.T) {
	start := time.Date(2026, 11, 26, 10, 2, 0, 0, time.UTC)
	var s Sum[int]
	s.Add(start, 3)
	s.Add(start.Add(time.Minute), 4)
	s.Add(start.Add(30*time.Minute), 5)
	for after, want := range map[time.Duration]int{
		30 * time.Minute: 12,
		54 * time.Minute: 12, // at least eleven slots count
		60 * time.Minute: 5,  // never more than twelve
		2 * time.Hour:    0,
	} {
		if got := s.At(start.Add(after)); got != want {
			t.Errorf("after %v: %d, want %d", after, got, want)
		}
	}
	s.Add(start.Add(61*time.Minute), 6) // its slot is that of the first amounts
	if got := s.At(start.Add(61 * time.Minute)); got != 11 {
		t.Errorf("after the slot was used again: %d, want 11", got)
	}
}
