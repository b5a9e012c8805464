package wire

import (
	"cmp"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"killick/compactor/prepare"
	"killick/model"
	"killick/probe"
	"killick/proxy/metric"
)

// summaryMetrics counts the summaries by models and their cost.
type summaryMetrics struct {
	set       metric.Set
	summaries *prometheus.CounterVec
	verdicts  *prometheus.CounterVec
	refused   *prometheus.CounterVec
	calls     prometheus.Counter
	tokens    *prometheus.CounterVec
	cost      prometheus.Counter
	seconds   prometheus.Histogram

	mu    sync.Mutex
	total model.Usage
}

func newSummaryMetrics() *summaryMetrics {
	m := new(summaryMetrics)
	m.summaries = m.set.CounterVec("model_summaries_total",
		"Summaries by a model, by outcome and by form of the answer.", "outcome", "form")
	m.verdicts = m.set.CounterVec("model_summary_probes_total",
		"Quizzes about models' statements, one for each verified summary, by verdict. "+
			"unprobed: there was no quiz; error: it failed.", "verdict")
	m.refused = m.set.CounterVec("model_refused_total",
		"Statements and questions of models that were not used, by reason.", "why")
	m.calls = m.set.Counter("model_calls_total", "Our own requests to models.")
	m.tokens = m.set.CounterVec("model_tokens_total",
		"Tokens of our own requests to models: prompt (with cached ones), cached, completion.",
		"kind")
	m.cost = m.set.Counter("model_cost_dollars_total",
		"Cost of our own requests to models with known prices.")
	m.seconds = m.set.Histogram("model_summary_seconds",
		"Duration of a summary by a model, including the quiz.",
		0.1, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320)
	return m
}

// ownTokens returns the tokens of our own prompts and completions, to be deducted from savings.
func (m *summaryMetrics) ownTokens() float64 {
	total := m.spentSoFar()
	return float64(total.PromptTokens + total.CompletionTokens)
}

func (m *summaryMetrics) spentSoFar() model.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// count counts a preparation. All labels are fixed words.
func (m *summaryMetrics) count(p prepare.Report) {
	form := cmp.Or(p.Form, "none")
	m.summaries.WithLabelValues(p.Outcome, form).Inc()
	switch {
	case p.Unasked != nil:
		m.verdicts.WithLabelValues("error").Inc()
	case p.Probe != nil:
		m.verdicts.WithLabelValues(string(p.Probe.Verdict)).Inc()
	}
	for i := range p.Dropped {
		m.refused.WithLabelValues(label(p.Dropped[i].Reason)).Inc()
	}
	for i := range p.Refused {
		m.refused.WithLabelValues(label(p.Refused[i].Reason)).Inc()
	}
	if form != "none" {
		m.seconds.Observe(p.Duration.Seconds())
	}
}

// label returns a reason as a label.
func label(r probe.Reason) string { return strings.ReplaceAll(string(r), " ", "_") }

func (m *summaryMetrics) spent(s model.Usage) {
	m.calls.Add(float64(s.Calls))
	m.cost.Add(s.Cost)
	m.mu.Lock()
	m.total.Add(s)
	m.mu.Unlock()
	m.tokens.WithLabelValues("prompt").Add(float64(s.PromptTokens))
	m.tokens.WithLabelValues("cached").Add(float64(s.CachedTokens))
	m.tokens.WithLabelValues("completion").Add(float64(s.CompletionTokens))
}
