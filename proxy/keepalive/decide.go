package keepalive

import (
	"time"

	"killick/prices"
)

// longestLifetime is the longest lifetime of entries that are kept alive. People who do not return
// within an hour seldom return the same day.
const longestLifetime = time.Hour

// typicalIdle models how long conversations are idle: of those that were idle for a time t, others
// remain idle in proportion to 1 + typicalIdle/t, where the 1 stands for those that have ended. It
// is the maximum-likelihood value for the 43 idle periods of four minutes and more in one half of
// the recorded sessions (docs/design.md, "Keeping caches alive";
// TestTypicalIdleFitsRecordedSessions).
const typicalIdle = 450 * time.Second

// returnChance is the probability that a conversation that has been idle for this long continues
// after from and before to, both counted from the start of its idle period.
func returnChance(idle, from, to time.Duration) float64 {
	idle = max(idle, time.Second)
	from = max(from, idle)
	if to <= from {
		return 0
	}
	left := func(t time.Duration) float64 { return 1 + typicalIdle.Seconds()/t.Seconds() }
	return (left(from) - left(to)) / left(idle)
}

// worth is how many times its cost a request must be expected to save: the probability of a return
// is an estimate from few idle periods.
const worth = 2

// tokens are those of a request.
type tokens struct {
	Cached, Other int // input in the provider's cache, and not in it
	Output        int // maximum of the answer
	// Cold is the size to which the conversation's next request is folded if the provider's cache
	// has expired; 0: it is not folded.
	Cold int
}

// timing has the times of a request, counted from the end of the conversation's last reply.
type timing struct {
	Idle    time.Duration // until then
	Expires time.Duration // when the entry expires without it
	Until   time.Duration // when it expires with it
}

// decision is the expected cost and saving of one request, in US dollars.
type decision struct {
	Chance, Cost, Saved float64
}

// pays reports whether the request should be sent.
func (d decision) pays() bool { return d.Saved > 0 && d.Saved >= worth*d.Cost }

// decide returns the decision about a request to a model, at the prices of the time at which it is
// sent. Tokens that are not known to be in the cache are assumed to cost the higher price of fresh
// and written input, and to save nothing.
func decide(m prices.Model, t tokens, r timing) decision {
	m = m.Sized(t.Cached + t.Other)
	d := decision{Chance: returnChance(r.Idle, r.Expires, r.Until), Cost: costOf(m, t)}
	lost := t.Cached
	if t.Cold > 0 {
		lost = min(lost, t.Cold)
	}
	d.Saved = d.Chance * (float64(lost)*m.Write - float64(t.Cached)*m.Cached) / 1e6
	return d
}

// costOf returns the maximum cost of a request, m being of its size.
func costOf(m prices.Model, t tokens) float64 {
	if m.Input > m.Write {
		return m.Cost(t.Other, t.Cached, 0, t.Output)
	}
	return m.Cost(0, t.Cached, t.Other, t.Output)
}

// withLifetime returns a model for requests that ask for this lifetime of entries, 0 if they do
// not. It is not ok if no entry of it is kept alive: the lifetime is unknown or too long.
func withLifetime(m prices.Model, asked time.Duration) (prices.Model, bool) {
	if asked > m.Lifetime {
		m = m.Long()
		m.Lifetime = asked
	}
	return m, m.Input > 0 && m.Lifetime > minLifetime && m.Lifetime <= longestLifetime
}

// minLifetime is the shortest lifetime that leaves time for a request before its end.
const minLifetime = 30 * time.Second

// margin is how long before the end of a lifetime a request is sent.
func margin(lifetime time.Duration) time.Duration { return min(lifetime/10, time.Minute) }
