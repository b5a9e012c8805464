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

// After a clock was a day ahead, what was counted meanwhile does not count for a day.
func TestAmountsOfAClockThatWasAhead(t *testing.T) {
	start := time.Date(2026, 11, 26, 10, 2, 0, 0, time.UTC)
	var s Sum[int]
	s.Add(start.Add(24*time.Hour), 7)
	if got := s.At(start.Add(24 * time.Hour)); got != 7 {
		t.Errorf("before the clock is set back: %d, want 7", got)
	}
	if got := s.At(start); got != 0 {
		t.Errorf("after the clock was set back a day: %d, want 0", got)
	}
	s.Add(start.Add(30*time.Minute), 5) // of another process
	if got := s.At(start); got != 5 {
		t.Errorf("of a clock half an hour ahead: %d, want 5", got)
	}
}
