package proxy

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"killick/compaction"
	"killick/proxy/auth"
	"killick/proxy/metric"
)

// metrics are the metrics for Prometheus. Every label is a fixed word, never chosen
// by a client. Requests that were only observed are counted separately, so that no
// saving is reported that was not made.
type metrics struct {
	// Every request.
	inFlight       prometheus.Gauge
	requests       metric.Words
	added          prometheus.Observer
	passed         metric.Words // by kind of path
	leftAlone      metric.Words // by reason
	refusedSockets prometheus.Counter
	notAccepted    prometheus.Counter // connections
	panics         prometheus.Counter

	// What upstreams answered.
	byUpstream *prometheus.CounterVec
	upstream   metric.Words // errors by kind
	usage      metric.Words
	overflows  metric.Words // by outcome
	reasoning  metric.Words // rejections of it, by outcome

	// What compaction did.
	tokens      metric.Words
	compactions metric.Words
	covered     metric.Words
	refetches   prometheus.Counter
	expansions  metric.Words // calls of killick_expand, by outcome
	compacts    metric.Words // requests for compaction, by outcome
	items       metric.Words // our compaction items, by outcome
	failOpens   metric.Words
	saved       atomic.Int64 // tokens, before subtracting our own calls

	// What mode observe would have done.
	observed     metric.Words
	observedToks metric.Words
	observedMade metric.Words

	// Where inbound keys are required.
	unauthorized metric.Words // by reason
	byKey        *prometheus.CounterVec
	byKeyTokens  *prometheus.CounterVec
}

// measured is what metrics read when they are scraped.
type measured struct {
	held  func() float64 // bytes of chat bodies
	known func() float64 // bytes of the state of conversations
	own   func() float64 // tokens of our own model calls; nil if there are none
}

// newMetrics registers the metrics. The names of upstreams and keys come from the configuration, so
// their number is bounded.
func newMetrics(
	reg *prometheus.Registry, version string, keys auth.Keys, from measured,
) (*metrics, error) {
	m, set := new(metrics), new(metric.Set)
	set.Info("build_info", "Always 1, with the version as a label.", "version", version)
	m.addRequests(set)
	m.addUpstream(set)
	m.addCompaction(set)
	m.addObserved(set)
	if keys.Required() {
		m.addKeys(set)
	}
	m.addMeasured(set, from)
	return m, reg.Register(set)
}

// addRequests adds what is counted of every request.
func (m *metrics) addRequests(set *metric.Set) {
	m.inFlight = set.Gauge("requests_in_flight", "Requests in progress.")
	m.requests = set.Words("requests_total",
		"Requests by route, action and class of status; 499 is a client that disconnected.",
		"route", "action", "status")
	m.added = set.Histogram("added_seconds",
		"Time from reading a chat body to forwarding the request.",
		50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 50e-3,
		100e-3, 250e-3, 500e-3, 1, 2.5, 5, 10, 30)
	m.passed = set.Words("passed_through_total",
		"Requests that were forwarded and not compacted, by kind of path.", "kind")
	m.leftAlone = set.Words("left_alone_total", "Requests that were inspected but must not be "+
		"changed, by reason. server_state: only the provider has the whole conversation; "+
		"managed: the provider compacts it.", "reason")
	m.refusedSockets = set.Counter("websockets_refused_total",
		"Upgrades of /v1/responses to WebSocket that were answered with 426.")
	m.notAccepted = set.Counter("accept_failures_total", "Attempts to accept a client's "+
		"connection that failed, such as without a free file descriptor.")
	m.panics = set.Counter("panics_total", "Panics that were recovered.")
}

// addUpstream adds what upstreams answered.
func (m *metrics) addUpstream(set *metric.Set) {
	m.byUpstream = set.CounterVec("upstream_requests_total", "Requests that were forwarded, by "+
		"upstream, format and status class of the reply, or none if there was no reply.",
		"upstream", "format", "status")
	m.upstream = set.Words("upstream_errors_total",
		"Requests that the upstream did not answer, or not completely, by kind of error.", "kind")
	m.usage = set.Words("upstream_tokens_total",
		"Tokens of requests as the upstream reported them, by wire format: prompt (with cached "+
			"ones), cached, completion.", "format", "kind")
	m.overflows = set.Words("overflows_total", "Requests that the upstream rejected as too "+
		"long, by outcome. Each one that is sent again counts as retried, and then by its "+
		"outcome. stopped: the answer ended because the window was full.", "outcome")
	m.reasoning = set.Words("reasoning_refusals_total", "Requests whose signed or encrypted "+
		"reasoning the upstream rejected, by outcome. left_out: sent again without it; "+
		"refused: not sent again.", "outcome")
}

// windowFull counts an answer that ended because the window was full.
func (m *metrics) windowFull() { m.overflows.With(overflowStopped).Inc() }

// The outcomes for a request that the upstream rejects as too long.
const (
	overflowRetried   = "retried"         // a smaller form was sent
	overflowRecovered = "recovered"       // and answered
	overflowFailed    = "failed"          // and something else went wrong
	overflowGaveUp    = "gave_up"         // the last attempt was rejected too
	overflowNoGain    = "nothing_to_gain" // no smaller form could be made
	overflowStopped   = "stopped"         // the answer ended when the window was full
)

// addCompaction adds what compaction did.
func (m *metrics) addCompaction(set *metric.Set) {
	m.tokens = set.Words("tokens_total",
		"Tokens of counted chat requests that the upstream accepted. raw: as received; sent: as "+
			"forwarded; saved: the difference.", "kind")
	m.compactions = set.Words("compactions_total",
		"Compactions that were tried, by outcome.", "outcome")
	m.covered = set.Words("coverage_items_total", "Structured facts of replaced turns. "+
		"held: the new record has them; repaired: they were added to it; missing: neither.",
		"state")
	m.refetches = set.Counter("refetches_total",
		"Calls that fetched again what had been masked, truncated or folded.")
	m.expansions = set.Words("expansions_total", "Calls of killick_expand, by outcome.", "outcome")
	m.compacts = set.Words("compact_requests_total", "Requests for compaction that Killick "+
		"answered itself (responses.compact: answer), by outcome: answered (with a record), "+
		"nothing_to_compact, compact_unreadable, compact_unavailable, compact_failed.",
		"outcome")
	m.items = set.Words("compaction_items_total", "Our compaction items that clients sent back. "+
		"opened: replaced by their record; refused: those of another credential or secret.",
		"outcome")
	m.failOpens = set.Words("fail_opens_total",
		"Internal errors that did not fail their request.", "reason")
	for _, reason := range compaction.FailOpenReasons { // so that the first is a rise
		m.failOpens.With(reason)
	}
}

// addObserved adds what mode observe would have done.
func (m *metrics) addObserved(set *metric.Set) {
	m.observed = set.Words("observe_requests_total",
		"Requests in mode observe, by what would have been done.", "action")
	m.observedToks = set.Words("observe_tokens_total",
		"Tokens of requests in mode observe that the upstream accepted. raw: as received; "+
			"sent: as they would have been forwarded; saved: the difference.", "kind")
	m.observedMade = set.Words("observe_compactions_total",
		"Compactions that were tried in mode observe and not used, by outcome.", "outcome")
}

// addKeys adds what is counted where inbound keys are required.
func (m *metrics) addKeys(set *metric.Set) {
	m.unauthorized = set.Words("unauthorized_total", "Requests rejected for lack of a valid "+
		"inbound key, by what they presented: missing, unknown.", "reason")
	m.byKey = set.CounterVec("key_requests_total",
		"Requests by the name of the inbound key.", "key")
	m.byKeyTokens = set.CounterVec("key_tokens_total",
		"Tokens of chat requests that the upstream accepted, by the name of the inbound key. "+
			"raw: as received; sent: as forwarded.", "key", "kind")
}

// addMeasured adds what is read when it is scraped.
func (m *metrics) addMeasured(set *metric.Set, from measured) {
	set.GaugeFunc("bodies_held_bytes", "Memory of chat bodies, as counted against limits.max_held.",
		from.held)
	set.GaugeFunc("conversations_known_bytes",
		"Memory of the state of conversations, as counted against limits.memory.", from.known)
	if from.own != nil {
		set.GaugeFunc("net_saved_tokens", "Tokens saved, net of our own model calls.",
			func() float64 { return float64(m.saved.Load()) - from.own() })
	}
}
