package keepalive

import (
	"context"
	"sync"
	"time"

	"killick/hourly"
)

// Sums are counters that several processes share.
type Sums interface {
	// Add adds to a sum and returns the total of all processes within the last hour; it is not ok
	// if that is unknown.
	Add(ctx context.Context, sum string, at time.Time, amount float64) (within float64, ok bool)
}

const spendSum = "spend on keep-alives"

// spend is what was spent within the hour.
type spend struct {
	most   float64 // US dollars within an hour
	shared Sums    // nil: this process is alone

	mu  sync.Mutex
	own hourly.Sum[float64] // US dollars that this process spent
}

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
	if s.own.At(now)+usd > s.most {
		return false
	}
	s.own.Add(now, usd)
	return true
}

// correct adds the difference between the actual and the taken amount.
func (s *spend) correct(ctx context.Context, now time.Time, usd float64) {
	s.mu.Lock()
	s.own.Add(now, usd)
	s.mu.Unlock()
	if s.shared != nil {
		s.shared.Add(ctx, spendSum, now, usd)
	}
}
