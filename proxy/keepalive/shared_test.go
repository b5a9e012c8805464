package keepalive

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// An idle period in which another process keeps the cache alive, or that it saw end, is left to it.
func TestOneProcessKeepsACacheAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t)
		defer b.Close()
		b.responsible = func(_ context.Context, lasts time.Duration) bool {
			if lasts != claude.Lifetime/2 {
				t.Errorf("it is claimed for %v", lasts)
			}
			return time.Since(start) < 300*seconds
		}
		b.request(start, conversation, 0)
		time.Sleep(270 * seconds)
		b.check(true, 270*seconds)
		time.Sleep(270 * seconds)
		b.check(false, 270*seconds)
		b.counts("killick_keepalives_total", map[string]float64{"kept": 1, "elsewhere": 1})
		b.responsible = func(context.Context, time.Duration) bool { panic("in the store") }
		b.request(start, conversation, 0)
		time.Sleep(time.Hour)
		b.check(false, 270*seconds)
	})
}

// A conversation that continues while it is asked whose it is gets no request.
func TestReturningWhileItIsClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, b := time.Now(), newBench(t)
		defer b.Close()
		b.responsible = func(ctx context.Context, _ time.Duration) bool {
			<-ctx.Done()
			return false
		}
		b.request(start, conversation, 0)
		time.Sleep(275 * seconds)
		b.begin("ann", conversation)
		b.check(false)
		b.counts("killick_keepalives_total", map[string]float64{"stopped": 1, "elsewhere": 0})
	})
}

// sums are those of several processes.
type sums struct {
	mu    sync.Mutex
	known bool
	total map[string]float64
}

func (s *sums) Add(_ context.Context, sum string, _ time.Time, amount float64) (float64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known {
		return 0, false
	}
	s.total[sum] += amount
	return s.total[sum], true
}

// MaxSpend is for all processes together, and for each where they do not know of each other.
func TestSpendIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := &sums{known: true, total: map[string]float64{}}
		// A request is expected to cost 2 cents and a little.
		share := func(o *Options) { o.MaxSpend, o.Sums = .03, all }
		start, a, b := time.Now(), newBench(t, share), newBench(t, share)
		defer a.Close()
		defer b.Close()
		a.request(start, conversation, 0)
		time.Sleep(seconds)
		b.request(start, conversation, 0)
		time.Sleep(280 * seconds)
		a.counts("killick_keepalives_total", map[string]float64{"kept": 1})
		b.counts("killick_keepalives_total", map[string]float64{"over_budget": 1, "kept": 0})
		if got := all.total[spendSum]; got < .0200 || got > .0202 {
			t.Errorf("%v dollars are counted", got)
		}
		all.known = false
		b.request(start, conversation, 0)
		time.Sleep(280 * seconds)
		b.counts("killick_keepalives_total", map[string]float64{"kept": 1})
	})
}
