package endpoint

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"sync"
	"time"

	"killick/hourly"
)

// Defaults of Limits.
const (
	DefaultCallsPerHour = 60
	DefaultSpendPerHour = 1.0
)

// Limits cap what one conversation may cost in an hour. A negative value means no cap.
type Limits struct {
	Calls int     // requests; if zero, DefaultCallsPerHour
	Spend float64 // US dollars; if zero, DefaultSpendPerHour. Concurrent calls may exceed it
	// Sums, if not nil, count for all processes together, and the caps apply to all; if nil, they
	// apply to this one.
	Sums Sums
}

// Sums are counters that several processes share.
type Sums interface {
	// Add adds to a sum and returns the total of all processes within the last hour; it is not ok
	// if that is unknown.
	Add(ctx context.Context, sum string, at time.Time, amount float64) (within float64, ok bool)
}

// maxConversations bounds the memory of a ledger to about 4 MB. Past it the least recently
// used conversation is dropped.
const maxConversations = 10_000

// ledger counts what conversations have used within the hour.
type ledger struct {
	limits Limits
	now    func() time.Time

	mu     sync.Mutex
	recent *list.List // of *account, the most recently used first
	byKey  map[string]*list.Element
}

// account is one conversation's use.
type account struct {
	key   string
	calls hourly.Sum[int]
	cost  hourly.Sum[float64]
}

func newLedger(limits Limits, now func() time.Time) *ledger {
	limits.Calls = cmp.Or(limits.Calls, DefaultCallsPerHour)
	limits.Spend = cmp.Or(limits.Spend, DefaultSpendPerHour)
	return &ledger{limits: limits, now: now, recent: list.New(), byKey: map[string]*list.Element{}}
}

// take counts one request of a conversation, or returns why it is not allowed.
func (l *ledger) take(ctx context.Context, key string) error {
	if err := l.takeOwn(key); err != nil {
		return err
	}
	if l.limits.Sums == nil {
		return nil
	}
	err := l.takeShared(ctx, key)
	if err != nil {
		l.add(key, -1, 0)
	}
	return err
}

// takeOwn is take in this process.
func (l *ledger) takeOwn(key string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, now := l.account(key), l.now()
	calls, cost := a.calls.At(now), a.cost.At(now)
	if l.limits.Calls > 0 && calls >= l.limits.Calls {
		return l.tooMany(calls)
	}
	if l.limits.Spend > 0 && cost >= l.limits.Spend {
		return l.tooDear(cost)
	}
	a.calls.Add(now, 1)
	return nil
}

func (l *ledger) tooMany(calls int) error {
	return fmt.Errorf("%w: %d calls within the hour, at most %d are allowed",
		ErrLimit, calls, l.limits.Calls)
}

func (l *ledger) tooDear(cost float64) error {
	return fmt.Errorf("%w: US$ %.4f within the hour, at most %.4f are allowed",
		ErrLimit, cost, l.limits.Spend)
}

// takeShared is take for all processes. The request is counted first, so that two concurrent ones
// cannot both be the last one that is allowed.
func (l *ledger) takeShared(ctx context.Context, key string) error {
	sums, at := l.limits.Sums, l.now()
	if l.limits.Spend > 0 {
		if cost, ok := sums.Add(ctx, spendOf(key), at, 0); ok && cost >= l.limits.Spend {
			return l.tooDear(cost)
		}
	}
	if l.limits.Calls > 0 {
		if n, ok := sums.Add(ctx, callsOf(key), at, 1); ok && int(n) > l.limits.Calls {
			sums.Add(ctx, callsOf(key), at, -1)
			return l.tooMany(int(n) - 1)
		}
	}
	return nil
}

func callsOf(key string) string { return "calls of " + key }
func spendOf(key string) string { return "spend of " + key }

// pay adds the cost of a request.
func (l *ledger) pay(ctx context.Context, key string, cost float64) {
	l.add(key, 0, cost)
	if l.limits.Sums != nil && l.limits.Spend > 0 && cost > 0 {
		l.limits.Sums.Add(ctx, spendOf(key), l.now(), cost)
	}
}

// add counts in this process.
func (l *ledger) add(key string, calls int, cost float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, now := l.account(key), l.now()
	a.calls.Add(now, calls)
	a.cost.Add(now, cost)
}

func (l *ledger) account(key string) *account {
	if e, ok := l.byKey[key]; ok {
		l.recent.MoveToFront(e)
		return e.Value.(*account)
	}
	if l.recent.Len() >= maxConversations {
		oldest := l.recent.Back()
		delete(l.byKey, l.recent.Remove(oldest).(*account).key)
	}
	a := &account{key: key}
	l.byKey[key] = l.recent.PushFront(a)
	return a
}
