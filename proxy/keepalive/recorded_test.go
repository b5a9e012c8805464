package keepalive

import (
	"crypto/sha256"
	"math"
	"os"
	"testing"
	"time"

	"killick/internal/recorded"
	"killick/prices"
	"killick/replay"
)

// usageOfHalf returns the recorded usage of one half of the conversations, told apart as killick
// replay --half does.
func usageOfHalf(t *testing.T, odd bool) (half []*replay.Usage) {
	t.Helper()
	for _, name := range recorded.Files(t, "*.usage.*.jsonl") {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		all, err := replay.ReadUsage(name, file)
		_ = file.Close()
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range all {
			if sum := sha256.Sum256([]byte(u.ID)); (sum[0]&1 == 1) == odd {
				half = append(half, u)
			}
		}
	}
	return half
}

// likeliestIdle returns the typicalIdle under which the idle periods of at least this length are
// most likely, and how many there were. A conversation that is over remains idle forever.
func likeliestIdle(usage []*replay.Usage, least time.Duration) (best time.Duration, n int) {
	var idle []float64 // seconds
	for _, u := range usage {
		for i := range u.Requests {
			d := math.Inf(1)
			if i+1 < len(u.Requests) {
				d = u.Requests[i+1].Sent.Time().Sub(u.Requests[i].Ended.Time()).Seconds()
			}
			if d >= least.Seconds() {
				idle = append(idle, d)
			}
		}
	}
	most := math.Inf(-1)
	for scale := 60.0; scale < 3600; scale += 10 {
		sum := 0.0
		for _, d := range idle {
			density := 1.0
			if !math.IsInf(d, 1) {
				density = scale / (d * d)
			}
			sum += math.Log(density / (1 + scale/least.Seconds()))
		}
		if sum > most {
			most, best = sum, time.Duration(scale)*time.Second
		}
	}
	return best, len(idle)
}

// The constant is the likeliest on the half that it was chosen on, and near it on the other.
func TestTypicalIdleFitsRecordedSessions(t *testing.T) {
	chosen, n := likeliestIdle(usageOfHalf(t, false), 4*time.Minute)
	if chosen != typicalIdle || n != 43 {
		t.Errorf(
			"the half that it was chosen on has %d idle periods and says %v, not %v",
			n,
			chosen,
			typicalIdle,
		)
	}
	other, n := likeliestIdle(usageOfHalf(t, true), 4*time.Minute)
	t.Logf(
		"on the half that it was chosen on: %v; on the other, of %d idle periods: %v",
		chosen,
		n,
		other,
	)
	if ratio := other.Seconds() / typicalIdle.Seconds(); ratio < .5 || ratio > 2 {
		t.Errorf("the other half says %v, and the code %v", other, typicalIdle)
	}
}

// keptBill is what a half costs without requests of ours, and what these cost and save.
type keptBill struct {
	raw, cost, saved float64
	sent, returned   int
}

// bill replays recorded requests at their times against a cache with the lifetime of m.
func bill(usage []*replay.Usage, m prices.Model, maxRequests int) (b keptBill) {
	for _, u := range usage {
		known, expires := 0, time.Time{} // tokens in the cache; until when without us
		for i := range u.Requests {
			q := &u.Requests[i]
			cached := 0
			if !q.Sent.Time().After(expires) {
				cached = min(known, q.Total())
			}
			b.raw += m.Cost(0, cached, q.Total()-cached, 0)
			known, expires = q.Total(), q.Sent.Time().Add(m.Lifetime)
			next := time.Time{}
			if i+1 < len(u.Requests) {
				next = u.Requests[i+1].Sent.Time()
			}
			until := b.keep(m, q, next, maxRequests)
			if next.After(expires) && !next.After(until) {
				n := min(known, u.Requests[i+1].Total())
				b.saved += float64(n) * (m.Write - m.Cached) / 1e6
				b.returned++
			}
		}
	}
	return b
}

// keep sends the requests of the idle period after q, and returns when the entry then expires.
func (b *keptBill) keep(
	m prices.Model, q *replay.UsageOfAnswer, next time.Time, most int,
) (expires time.Time) {
	expires = q.Sent.Time().Add(m.Lifetime)
	tokens, ended := tokens{Cached: q.Total(), Output: minOutput}, q.Ended.Time()
	for range most {
		due := expires.Add(-margin(m.Lifetime))
		if due.Before(ended) {
			due = ended
		}
		if !due.Before(expires) || !next.IsZero() && !due.Before(next) {
			break
		}
		d := decide(m, tokens, timing{Idle: due.Sub(ended), Expires: expires.Sub(ended),
			Until: due.Add(m.Lifetime).Sub(ended)})
		if !d.pays() {
			break
		}
		b.cost += costOf(m, tokens)
		b.sent++
		expires = due.Add(m.Lifetime)
	}
	return expires
}

// On recorded times, and on the half that chose nothing, the requests save more than they cost
// where a cache lives five minutes. With longer lives there are too few idle periods to tell:
// hardly anything is spent, and it must not be lost.
func TestRecordedIdlePeriodsPayOff(t *testing.T) {
	for _, test := range []struct {
		name          string
		cached, write float64
		lifetime      time.Duration
		least         float64 // share of the bill that is saved on balance
	}{
		{"p .25, w 1, 5m", .25, 1, 5 * time.Minute, 0},
		{"p .1, w 1.25, 5m", .1, 1.25, 5 * time.Minute, .05},
		{"p .05, w 1.25, 5m", .05, 1.25, 5 * time.Minute, .12},
		{"p .025, w 1.25, 5m", .025, 1.25, 5 * time.Minute, .2},
		{"p .05, w 1.25, 30m", .05, 1.25, 30 * time.Minute, -.01},
		{"p .05, w 2, 1h", .05, 2, time.Hour, 0},
	} {
		m := prices.Model{Input: 1, Cached: test.cached, Write: test.write, Output: 5,
			Lifetime: test.lifetime}
		for _, odd := range []bool{false, true} {
			b := bill(usageOfHalf(t, odd), m, DefaultMaxRequests)
			net := (b.saved - b.cost) / b.raw
			t.Logf("%s, reported half %t: %d requests, %d of use; cost %.1f%% of the bill, "+
				"saved %.1f%%, on balance %.1f%%", test.name, odd, b.sent, b.returned,
				100*b.cost/b.raw, 100*b.saved/b.raw, 100*net)
			if odd && net < test.least {
				t.Errorf("%s: on balance %.3f of the bill, want %.3f", test.name, net, test.least)
			}
		}
	}
}
