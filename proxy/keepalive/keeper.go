package keepalive

import (
	"context"
	"fmt"
	"hash/maphash"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"killick/prices"
	"killick/proxy/metric"
)

// Options limit what is spent on keeping caches alive. The zero value keeps none.
type Options struct {
	MaxRequests int     // in one idle period of a conversation; if zero, nothing is kept alive
	MaxSpend    float64 // US dollars within an hour, for all conversations; if zero, none
	MaxHeld     int64   // bytes of all requests that are held; if zero, none
	// Prices returns the prices of a model; ok is false if they are unknown.
	Prices func(model string) (m prices.Model, ok bool)
	// Sums, if not nil, count for all processes together, and MaxSpend applies to all; if nil, it
	// applies to this one.
	Sums Sums
}

// The default limits.
const (
	DefaultMaxRequests = 2
	DefaultMaxSpend    = 0.5
	DefaultMaxHeld     = 64 << 20
)

// Keeper holds the last requests of idle conversations, and sends them again in time. A nil Keeper
// does nothing. It is safe for concurrent use.
type Keeper struct {
	opt     Options
	log     *slog.Logger
	metrics metrics
	spend   spend
	seed    maphash.Seed // of keys

	mu      sync.Mutex
	closed  bool
	held    int64                    // bytes
	sending map[chan struct{}]string // whose request it is; closed when that is done with
	idle    map[key]*idlePeriod
	refused map[service]time.Time // until when nothing is tried there
}

// New returns a Keeper, nil if the options keep nothing alive. The caller closes it.
func New(o Options, log *slog.Logger, registry *prometheus.Registry) (*Keeper, error) {
	if o.MaxRequests <= 0 || o.Prices == nil {
		return nil, nil
	}
	k := &Keeper{opt: o, log: log, spend: spend{most: o.MaxSpend, shared: o.Sums},
		seed: maphash.MakeSeed(), idle: map[key]*idlePeriod{}, refused: map[service]time.Time{},
		sending: map[chan struct{}]string{}}
	set := new(metric.Set)
	k.metrics = newMetrics(set, k.heldBytes)
	if err := registry.Register(set); err != nil {
		return nil, fmt.Errorf("registering the metrics of keep-alives: %w", err)
	}
	return k, nil
}

// Close drops all requests and cancels those in progress. Nothing is sent afterwards. It may be
// called twice.
func (k *Keeper) Close() {
	if k == nil {
		return
	}
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.Forget("")
}

// Forget drops the requests of a client, "" for all clients. When it returns none of them is in
// progress any more.
func (k *Keeper) Forget(who string) {
	if k == nil {
		return
	}
	k.mu.Lock()
	for of, r := range k.idle {
		if who == "" || of.who == who {
			k.remove(r)
		}
	}
	sending := maps.Clone(k.sending)
	k.mu.Unlock()
	for done, of := range sending {
		if who == "" || of == who {
			<-done
		}
	}
}

func (k *Keeper) heldBytes() float64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return float64(k.held)
}

// reserve reserves n bytes, and reports whether they fit MaxHeld.
func (k *Keeper) reserve(n int64) bool {
	k.mu.Lock()
	ok := !k.closed && k.held+n <= k.opt.MaxHeld
	if ok {
		k.held += n
	}
	k.mu.Unlock()
	return ok
}

// release releases n reserved bytes.
func (k *Keeper) release(n int64) {
	k.mu.Lock()
	k.held -= n
	k.mu.Unlock()
}

// returned ends the idle period of a conversation that continues.
func (k *Keeper) returned(of key, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.idle[of]
	if r == nil {
		return
	}
	if r.sent > 0 && now.Before(r.expires) {
		k.metrics.idlePeriods.WithLabelValues(idleReturned).Inc()
	}
	k.remove(r)
}

// hold begins the idle period of a conversation whose request has its memory reserved.
func (k *Keeper) hold(r *idlePeriod, now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old := k.idle[r.key]; old != nil {
		k.remove(old)
	}
	if k.closed || !k.schedule(r, now) {
		k.held -= r.bytes()
		return
	}
	k.idle[r.key] = r
}

// schedule sets the timer for the next request of an idle period, and reports whether there is one
// that pays off. The caller holds mu.
func (k *Keeper) schedule(r *idlePeriod, now time.Time) bool {
	due, ok := k.next(r, now)
	if ok {
		r.timer = time.AfterFunc(due.Sub(now), func() { k.fire(r) })
	}
	return ok
}

// next returns when the next request of an idle period is due; it is not ok if none pays off. The
// caller holds mu.
func (k *Keeper) next(r *idlePeriod, now time.Time) (due time.Time, ok bool) {
	if r.sent >= k.opt.MaxRequests || !now.Before(r.expires) || now.Before(k.refused[r.service]) {
		return due, false
	}
	lifetime := r.prices.Lifetime
	if due = r.expires.Add(-margin(lifetime)); due.Before(now) {
		due = now
	}
	r.decision = decide(r.prices.At(due), r.tokens, timing{Idle: due.Sub(r.ended),
		Expires: r.expires.Sub(r.ended), Until: due.Add(lifetime).Sub(r.ended)})
	return due, r.decision.pays()
}

// mayPay reports whether a request is worth holding.
func (k *Keeper) mayPay(r *idlePeriod, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.next(r, now)
	return ok && !k.closed
}

// settle stops sending requests of an idle period and drops the request with its credentials. If
// the entry was kept, the remainder of the period is watched to count whether that was useful. The
// caller holds mu.
func (k *Keeper) settle(r *idlePeriod, now time.Time) {
	k.held -= r.bytes()
	r.drop()
	if r.sent == 0 || !now.Before(r.expires) {
		delete(k.idle, r.key)
		return
	}
	r.timer = time.AfterFunc(r.expires.Sub(now), func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.idle[r.key] == r {
			k.metrics.idlePeriods.WithLabelValues(idleExpired).Inc()
			delete(k.idle, r.key)
		}
	})
}

// remove drops an idle period, and cancels its request if one is in progress. The caller holds mu.
func (k *Keeper) remove(r *idlePeriod) {
	r.timer.Stop()
	if r.cancel != nil {
		r.cancel()
	}
	k.held -= r.bytes()
	r.drop()
	delete(k.idle, r.key)
}

// fire sends the request of an idle period, unless that is over or another process keeps it alive.
func (k *Keeper) fire(r *idlePeriod) {
	began := time.Now()
	k.mu.Lock()
	if k.closed || k.idle[r.key] != r {
		k.mu.Unlock()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	r.cancel = cancel
	request, used, responsible, expected := r.request, r.used, r.responsible, r.decision
	done := make(chan struct{})
	k.sending[done] = r.who
	k.mu.Unlock()

	var a answer
	switch {
	case !responsible.call(ctx, r.prices.Lifetime/2):
		a.outcome = outcomeElsewhere
	case !k.spend.take(ctx, began, expected.Cost):
		a.outcome = outcomeOverBudget
	default:
		a = request.send(ctx)
		k.spend.correct(context.WithoutCancel(ctx), time.Now(),
			a.cost(r.prices, began)-expected.Cost)
	}
	if a.outcome == outcomeKept {
		used.call(ctx)
	}
	k.answered(r, &a, began)
	k.count(r, expected, a)
	k.mu.Lock()
	delete(k.sending, done)
	k.mu.Unlock()
	close(done)
}

// answered continues an idle period whose request was answered.
func (k *Keeper) answered(r *idlePeriod, a *answer, began time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if a.rejectedInGeneral() {
		k.refuse(r.service, began)
	}
	r.cancel = nil
	switch gone := k.idle[r.key] != r; {
	case gone && a.outcome != outcomeKept:
		a.outcome = outcomeStopped
		return
	case gone:
		return
	case a.outcome == outcomeKept:
		r.sent++
		r.expires = began.Add(r.prices.Lifetime)
		cold := r.tokens.Cold
		r.tokens = tokensOf(a.usage, r.request.output)
		r.tokens.Cold = cold
	}
	if now := time.Now(); a.outcome != outcomeKept || !k.schedule(r, now) {
		k.settle(r, now)
	}
}

// maxRefused is how many services that reject our requests are remembered, and refusedFor for how
// long.
const (
	maxRefused = 1000
	refusedFor = time.Hour
)

// refuse records that a service rejects our requests. The caller holds mu.
func (k *Keeper) refuse(s service, now time.Time) {
	if len(k.refused) >= maxRefused {
		clear(k.refused)
	}
	k.refused[s] = now.Add(refusedFor)
}

// count counts and logs the outcome of a request, without quoting it or its answer.
func (k *Keeper) count(r *idlePeriod, expected decision, a answer) {
	k.metrics.requests.WithLabelValues(string(a.outcome)).Inc()
	u := a.usage
	k.metrics.tokens.WithLabelValues("prompt").Add(float64(max(u.PromptTokens, 0)))
	k.metrics.tokens.WithLabelValues("cached").Add(float64(max(u.CachedTokens, 0)))
	k.metrics.tokens.WithLabelValues("written").Add(float64(max(u.WrittenTokens, 0)))
	k.metrics.tokens.WithLabelValues("completion").Add(float64(max(u.CompletionTokens, 0)))
	cost := a.cost(r.prices, time.Now())
	k.metrics.cost.Add(cost)
	k.log.LogAttrs(context.Background(), slog.LevelDebug, "cache keep-alive",
		slog.String("outcome", string(a.outcome)),
		slog.String("client", r.who[:min(8, len(r.who))]),
		slog.Int("status", a.status), slog.Int("cached_tokens", u.CachedTokens),
		slog.Float64("chance", expected.Chance), slog.Float64("saves_dollars", expected.Saved),
		slog.Float64("expected_dollars", expected.Cost), slog.Float64("cost_dollars", cost))
}
