package proxy

import (
	"cmp"
	"strconv"
	"time"

	"killick/compaction"
	"killick/proxy/fault"
)

// observe counts a finished exchange.
func (m *metrics) observe(x *exchange) {
	action := cmp.Or(x.action, string(compaction.ActionNone))
	m.requests.With(string(x.class), action, x.statusClass()).Inc()
	if x.fault != nil && x.fault.Upstream {
		m.upstream.With(x.fault.Kind).Inc()
	}
	if x.forwarded {
		status := "none"
		if x.answer.status != 0 {
			status = statusClass(x.answer.status)
		}
		m.byUpstream.WithLabelValues(x.dest.up.Name, string(x.kind.Format()), status).Inc()
	}
	if x.sender.key != nil {
		m.byKey.WithLabelValues(x.sender.key.Name).Inc()
	}
	if x.answer.hasUsage {
		f := string(x.wire.Format)
		m.usage.With(f, "prompt").Add(count(x.answer.usage.PromptTokens))
		m.usage.With(f, "cached").Add(count(x.answer.usage.CachedTokens))
		m.usage.With(f, "completion").Add(count(x.answer.usage.CompletionTokens))
	}
	for _, f := range x.outcome.FailOpens {
		m.failOpens.With(word(f.Reason)).Inc()
	}
	if !x.wire.Compacts() {
		if x.forwarded {
			m.passed.With(string(x.kind)).Inc()
		}
		return
	}
	switch x.outcome.Reason {
	case compaction.ReasonServerState:
		m.leftAlone.With("server_state").Inc()
	case compaction.ReasonManaged:
		m.leftAlone.With("managed").Inc()
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
		m.observed.With(action).Inc()
	}
	if x.mode == ModeOn {
		m.refetches.Add(count(o.Refetched))
	}
	for _, outcome := range o.Made {
		made.With(word(outcome)).Inc()
	}
	if raw > 0 && sent > 0 && x.answer.status/100 == 2 { // what is refused costs nothing
		tokens.With("raw").Add(float64(raw))
		tokens.With("sent").Add(float64(sent))
		tokens.With("saved").Add(count(raw - sent))
		if x.sender.key != nil {
			m.byKeyTokens.WithLabelValues(x.sender.key.Name, "raw").Add(float64(raw))
			m.byKeyTokens.WithLabelValues(x.sender.key.Name, "sent").Add(float64(sent))
		}
		if x.mode != ModeObserve {
			m.saved.Add(int64(max(raw-sent, 0)))
		}
	}
	if p := o.Probe; p != nil && !o.Reused && x.sent.changed {
		m.covered.With("held").Add(count(p.Held))
		m.covered.With("repaired").Add(count(p.Repaired))
		m.covered.With("missing").Add(count(p.Of - p.Held - p.Repaired))
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
