package keepalive

import (
	"sync"
	"time"
)

// spend is what was spent within an hour. It is counted in slots: what is older than eleven to
// twelve of them is forgotten.
type spend struct {
	most float64 // US dollars within an hour

	mu    sync.Mutex
	slots [slots]struct {
		at  int64 // number of the slot since 1970
		usd float64
	}
}

const (
	slots      = 12
	slotLength = time.Hour / slots
)

// take spends an amount, and reports whether there was so much left.
func (s *spend) take(now time.Time, usd float64) (ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, spent := slotOf(now), 0.0
	for _, slot := range s.slots {
		if slot.at > at-slots {
			spent += slot.usd
		}
	}
	if spent+usd > s.most {
		return false
	}
	s.add(at, usd)
	return true
}

// correct adds to what was taken what it came to beyond that, or less.
func (s *spend) correct(now time.Time, usd float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.add(slotOf(now), usd)
}

func (s *spend) add(at int64, usd float64) {
	slot := &s.slots[at%slots]
	if slot.at != at {
		slot.at, slot.usd = at, 0
	}
	slot.usd += usd
}

func slotOf(t time.Time) int64 { return t.Unix() / int64(slotLength/time.Second) }
