package keepalive

import (
	"github.com/prometheus/client_golang/prometheus"

	"killick/proxy/metric"
)

// outcome is the outcome of one of our requests, or why it was not sent.
type outcome string

const (
	outcomeKept       outcome = "kept"        // it was read from the cache
	outcomeMissed     outcome = "missed"      // it was answered, and nothing was in the cache
	outcomeRefused    outcome = "refused"     // the upstream answered with an error
	outcomeUnbounded  outcome = "unbounded"   // the answer was longer than requested
	outcomeFailed     outcome = "failed"      // the upstream did not answer, or not readably
	outcomeStopped    outcome = "stopped"     // the conversation continued, or we stop
	outcomeOverBudget outcome = "over_budget" // not sent: MaxSpend
	outcomeElsewhere  outcome = "elsewhere"   // not sent: another process has seen it since
	outcomeNoRoom     outcome = "no_room"     // not held: MaxHeld
)

// The outcomes of idle periods in which at least one request kept the entry.
const (
	idleReturned = "returned" // the conversation continued while the entry lived
	idleExpired  = "expired"
)

type metrics struct {
	requests, idlePeriods, tokens *prometheus.CounterVec
	cost                          prometheus.Counter
}

func newMetrics(set *metric.Set, held func() float64) metrics {
	set.GaugeFunc("keepalive_held_bytes",
		"Memory of the requests held to keep their prompt cache alive.", held)
	return metrics{
		requests: set.CounterVec("keepalives_total", "Our requests that keep a prompt cache "+
			"alive, by outcome. over_budget, elsewhere and no_room: not sent.", "outcome"),
		idlePeriods: set.CounterVec("keepalive_idle_periods_total", "Idle periods of "+
			"conversations whose cache was kept alive. returned: they continued before it "+
			"expired; expired: they did not.", "outcome"),
		tokens: set.CounterVec("keepalive_tokens_total", "Tokens of requests that keep a prompt "+
			"cache alive, as the upstream reported them: prompt (with cached and written ones), "+
			"cached, written, completion.", "kind"),
		cost: set.Counter("keepalive_cost_dollars_total",
			"Cost of requests that keep a prompt cache alive."),
	}
}
