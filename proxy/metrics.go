package proxy

import (
	"cmp"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"killick/compaction"
	"killick/proxy/auth"
	"killick/proxy/fault"
)

// metrics are the metrics for Prometheus. Every label is a fixed word, never chosen
// by a client. Requests that were only observed are counted separately, so that no
// saving is reported that was not made.
type metrics struct {
	requests    words
	inFlight    prometheus.Gauge
	tokens      words
	compactions words
	covered     words
	added       prometheus.Observer
	failOpens   words
	upstream    words // errors by kind
	usage       words
	passed      words // by kind of path
	leftAlone   words // by reason
	overflows   words // by outcome
	reasoning   words // rejections of it, by outcome
	panics      prometheus.Counter

	compacts words // requests for compaction, by outcome
	items    words // our compaction items, by outcome

	expansions words // calls of killick_expand, by outcome

	refusedSockets prometheus.Counter
	unauthorized   words // by reason
	byUpstream     *prometheus.CounterVec
	byKey          *prometheus.CounterVec
	byKeyTokens    *prometheus.CounterVec
	refetches      prometheus.Counter
	observed       words
	observedToks   words
	observedMade   words
	saved          atomic.Int64 // tokens, before subtracting our own calls
}

// measured is what metrics read when they are scraped.
type measured struct {
	held  func() float64 // bytes of chat bodies
	known func() float64 // bytes of the state of conversations
	own   func() float64 // tokens of our own model calls; nil if there are none
}

// collectors are the collectors to register.
type collectors []prometheus.Collector

func (c *collectors) vec(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: "killick_" + name, Help: help}, labels)
	*c = append(*c, v)
	return v
}

func (c *collectors) words(name, help string, labels ...string) words {
	most := maxWords
	if len(labels) > 1 {
		most = maxCombined
	}
	return words{vec: c.vec(name, help, labels...), seen: new(sync.Map), most: most}
}

func (c *collectors) counter(name, help string) prometheus.Counter {
	n := prometheus.NewCounter(prometheus.CounterOpts{Name: "killick_" + name, Help: help})
	*c = append(*c, n)
	return n
}

func (c *collectors) gauge(name, help string, of func() float64) {
	*c = append(*c, prometheus.NewGaugeFunc(
		prometheus.GaugeOpts{Name: "killick_" + name, Help: help}, of))
}

// newMetrics registers the metrics.
func newMetrics(
	reg *prometheus.Registry, version string, keys auth.Keys, from measured,
) (*metrics, error) {
	var list collectors
	inFlight := prometheus.NewGauge(prometheus.GaugeOpts{Name: "killick_requests_in_flight",
		Help: "Requests in progress."})
	added := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "killick_added_seconds",
		Help: "Time from reading a chat body to forwarding the request.",
		Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3,
			100e-3, 250e-3, 500e-3, 1, 2.5, 5, 10, 30}})
	list = append(list, inFlight, added,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "killick_build_info",
			Help:        "Always 1, with the version as a label.",
			ConstLabels: prometheus.Labels{"version": version}}, func() float64 { return 1 }))
	list.gauge("bodies_held_bytes", "Memory of chat bodies, as counted against the limit.",
		from.held)
	list.gauge("conversations_known_bytes",
		"Memory of the state of conversations, out of limits.memory.", from.known)

	m := &metrics{
		inFlight: inFlight, added: added,
		panics: list.counter("panics_total", "Panics that were recovered."),
		refetches: list.counter("refetches_total",
			"Calls that fetched again what had been masked, truncated or folded."),
		refusedSockets: list.counter("websockets_refused_total",
			"Upgrades of the responses path to WebSocket that were answered 426."),
		// The names come from the configuration, so their number is bounded.
		byUpstream: list.vec("upstream_requests_total", "Requests that were forwarded, by "+
			"upstream, format and class of the upstream's status: none if it did not answer.",
			"upstream", "format", "status"),
		requests: list.words("requests_total",
			"Requests by route, action and class of status; 499 is a "+
				"client that disconnected.",
			"route", "action", "status"),
		tokens: list.words("tokens_total",
			"Tokens of counted chat requests: received, sent, and the difference.",
			"kind"),
		compactions: list.words("compactions_total", "Compactions tried, by outcome.", "outcome"),
		covered: list.words("coverage_items_total", "Structured facts of replaced turns, "+
			"when their record was made: in the record, repaired, missing.", "state"),
		failOpens: list.words("fail_opens_total",
			"Internal errors that did not fail their request.",
			"reason"),
		upstream: list.words("upstream_errors_total",
			"Requests that the upstream did not answer, or not completely.", "kind"),
		overflows: list.words("overflows_total", "Requests that the upstream rejected as too "+
			"long, by outcome: each one sent again counts as retried, and then as "+
			"its outcome. Stopped are answers that ended because the window was full.", "outcome"),
		reasoning: list.words("reasoning_refusals_total", "Requests whose signed or encrypted "+
			"reasoning the upstream rejected: left_out were sent again without it, refused were "+
			"not.", "outcome"),
		compacts: list.words("compact_requests_total", "Requests for compaction that were "+
			"answered here (responses.compact: answer), by result: a record, or which "+
			"error.", "outcome"),
		items: list.words("compaction_items_total", "Our compaction items that clients sent back: "+
			"replaced by their record, or rejected as those of another credential or secret.",
			"outcome"),
		expansions: list.words("expansions_total", "Calls of killick_expand, by outcome.",
			"outcome"),
		usage: list.words("upstream_tokens_total",
			"Tokens of requests as the upstream reported them, by wire format.",
			"format", "kind"),
		passed: list.words("passed_through_total", "Requests that were forwarded and not "+
			"compacted, by kind of path.", "kind"),
		leftAlone: list.words("left_alone_total", "Requests that were inspected and must not be "+
			"changed: server_state has a part of the conversation at the provider only, managed "+
			"is compacted by the provider.", "reason"),
		observed: list.words("observe_requests_total",
			"Requests that were only observed, by what would have been done.", "action"),
		observedToks: list.words("observe_tokens_total",
			"Tokens of requests that were only observed: received, as they would have been "+
				"sent, and the difference.", "kind"),
		observedMade: list.words("observe_compactions_total",
			"Compactions tried and not used, by outcome.", "outcome"),
	}
	for _, reason := range compaction.FailOpenReasons {
		m.failOpens.with(reason)
	}
	if keys.Required() {
		// The names come from the configuration, so their number is bounded.
		m.unauthorized = list.words("unauthorized_total", "Requests rejected for lack of a valid "+
			"inbound key, by what they presented: missing, unknown.", "reason")
		m.byKey = list.vec("key_requests_total", "Requests by the name of the inbound key.", "key")
		m.byKeyTokens = list.vec("key_tokens_total",
			"Tokens of chat requests by the name of the inbound key: received, sent.",
			"key", "kind")
	}
	if from.own != nil {
		list.gauge("net_saved_tokens", "Tokens saved, net of our own model calls.",
			func() float64 { return float64(m.saved.Load()) - from.own() })
	}
	for _, c := range list {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// How many values one metric's label takes at most, and how many combinations those of several: all
// routes, actions and classes of status are 576.
const (
	maxWords    = 64
	maxCombined = 1024
)

// words is a counter whose labels are words. Those from a Compactor should be fixed
// words too, but that is not enforced there: anything else, or too many of them,
// counts as "other".
type words struct {
	vec  *prometheus.CounterVec
	seen *sync.Map // of label values, joined
	most int       // of them
}

func (w words) with(labels ...string) prometheus.Counter {
	key := labels[0]
	for _, l := range labels[1:] {
		key += " " + l
	}
	if c, ok := w.seen.Load(key); ok {
		return c.(prometheus.Counter)
	}
	n := 0
	w.seen.Range(func(any, any) bool { n++; return n < w.most })
	if n >= w.most {
		other := make([]string, len(labels))
		for i := range other {
			other[i] = "other"
		}
		return w.vec.WithLabelValues(other...)
	}
	c := w.vec.WithLabelValues(labels...)
	w.seen.Store(key, c)
	return c
}

// observe counts a finished exchange.
func (m *metrics) observe(x *exchange) {
	action := cmp.Or(x.action, string(compaction.ActionNone))
	m.requests.with(string(x.class), action, x.statusClass()).Inc()
	if x.fault != nil && x.fault.Upstream {
		m.upstream.with(x.fault.Kind).Inc()
	}
	if x.forwarded {
		status := "none"
		if x.upstream != 0 {
			status = statusClass(x.upstream)
		}
		m.byUpstream.WithLabelValues(x.up.Name, string(x.kind.Format()), status).Inc()
	}
	if x.inbound != nil {
		m.byKey.WithLabelValues(x.inbound.Name).Inc()
	}
	if x.hasUsage {
		f := string(x.wire.format)
		m.usage.with(f, "prompt").Add(count(x.usage.PromptTokens))
		m.usage.with(f, "cached").Add(count(x.usage.CachedTokens))
		m.usage.with(f, "completion").Add(count(x.usage.CompletionTokens))
	}
	for _, f := range x.outcome.FailOpens {
		m.failOpens.with(word(f.Reason)).Inc()
	}
	if !x.wire.compacts() {
		if x.forwarded {
			m.passed.with(string(x.kind)).Inc()
		}
		return
	}
	switch x.outcome.Reason {
	case compaction.ReasonServerState:
		m.leftAlone.with("server_state").Inc()
	case compaction.ReasonManaged:
		m.leftAlone.with("managed").Inc()
	}
	if !x.ready.IsZero() {
		m.added.Observe(x.added.Seconds())
	}
	m.observeOutcome(x)
}

func (m *metrics) observeOutcome(x *exchange) {
	o := &x.outcome
	tokens, made := m.tokens, m.compactions
	raw, sent := x.tokens()
	if x.mode == ModeObserve {
		tokens, made = m.observedToks, m.observedMade
		if o.Changed() {
			sent = o.Sent
		}
		action := string(compaction.ActionNone)
		if o.Changed() {
			action = actionLabel(o)
		}
		m.observed.with(action).Inc()
	}
	if x.mode == ModeOn {
		m.refetches.Add(count(o.Refetched))
	}
	for _, outcome := range o.Made {
		made.with(word(outcome)).Inc()
	}
	if raw > 0 && sent > 0 {
		tokens.with("raw").Add(float64(raw))
		tokens.with("sent").Add(float64(sent))
		tokens.with("saved").Add(count(raw - sent))
		if x.inbound != nil {
			m.byKeyTokens.WithLabelValues(x.inbound.Name, "raw").Add(float64(raw))
			m.byKeyTokens.WithLabelValues(x.inbound.Name, "sent").Add(float64(sent))
		}
		if x.mode != ModeObserve {
			m.saved.Add(int64(max(raw-sent, 0)))
		}
	}
	if p := o.Probe; p != nil && !o.Reused && x.changed {
		m.covered.with("held").Add(count(p.Held))
		m.covered.with("repaired").Add(count(p.Repaired))
		m.covered.with("missing").Add(count(p.Of - p.Held - p.Repaired))
	}
}

// count converts a number for a counter, which must not decrease.
func count(n int) float64 { return float64(max(n, 0)) }

// status returns the status for log and metrics.
func (x *exchange) status() int {
	if x.fault != nil && x.fault.Status == fault.StatusClientGone || x.reply.Status() == 0 {
		return fault.StatusClientGone
	}
	return x.reply.Status()
}

func (x *exchange) statusClass() string {
	s := x.status()
	if s == fault.StatusClientGone {
		return "499"
	}
	return statusClass(s)
}

func statusClass(s int) string {
	if s < 100 || s > 599 {
		return "other"
	}
	return strconv.Itoa(s/100) + "xx"
}

// milliseconds is how the log gives times.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
