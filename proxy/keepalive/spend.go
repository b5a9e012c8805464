package keepalive

import (
	"context"
	"sync"
	"time"
)

// Sums are counters that several processes share.
type Sums interface {
	// Add adds to a sum and returns the total of all processes within the last hour; it is not ok
	// if that is unknown.
	Add(ctx context.Context, sum string, at time.Time, amount float64) (within float64, ok bool)
}

const spendSum = "spend on keep-alives"

// spend is what was spent within an hour. It is counted in slots: those older than eleven to twelve
// are dropped.
type spend struct {
	most   float64 // US dollars within an hour
	shared Sums    // nil: this process is alone

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

// take spends an amount, and reports whether that much was left.
func (s *spend) take(ctx context.Context, now time.Time, usd float64) (ok bool) {
	if !s.takeOwn(now, usd) {
		return false
	}
	if s.shared == nil {
		return true
	}
	if spent, known := s.shared.Add(ctx, spendSum, now, usd); known && spent > s.most {
		s.correct(ctx, now, -usd)
		return false
	}
	return true
}

// takeOwn is take in this process.
func (s *spend) takeOwn(now time.Time, usd float64) (ok bool) {
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

// correct adds the difference between the actual and the taken amount.
func (s *spend) correct(ctx context.Context, now time.Time, usd float64) {
	s.mu.Lock()
	s.add(slotOf(now), usd)
	s.mu.Unlock()
	if s.shared != nil {
		s.shared.Add(ctx, spendSum, now, usd)
	}
}

// add adds an amount in this process. The caller holds mu.
func (s *spend) add(at int64, usd float64) {
	slot := &s.slots[at%slots]
	if slot.at != at {
		slot.at, slot.usd = at, 0
	}
	slot.usd += usd
}

func slotOf(t time.Time) int64 { return t.Unix() / int64(slotLength/time.Second) }
