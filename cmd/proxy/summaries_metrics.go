package main

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"killick/compactor"
	"killick/model"
)

// summaryMetrics counts what models did for summaries, and what that cost.
type summaryMetrics struct {
	summaries *prometheus.CounterVec
	verdicts  *prometheus.CounterVec
	refused   *prometheus.CounterVec
	calls     prometheus.Counter
	tokens    *prometheus.CounterVec
	cost      prometheus.Counter
	seconds   prometheus.Histogram

	mu    sync.Mutex
	total model.Spent
}

func newSummaryMetrics() *summaryMetrics {
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "killick_" + name, Help: help}, labels)
	}
	one := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "killick_" + name, Help: help})
	}
	return &summaryMetrics{
		summaries: vec("model_summaries_total", "Summaries that a model was to write, by what became of them and by the form of the answer.", "outcome", "form"),
		verdicts:  vec("model_summary_probes_total", "Probes of summaries by models: verdicts, those that could not be asked (error), those that lines were added for (repaired).", "verdict"),
		refused:   vec("model_refused_total", "Sentences, entries and questions of models that were not taken, by why.", "why"),
		calls:     one("model_calls_total", "Our own requests to models."),
		tokens:    vec("model_tokens_total", "Tokens of our own requests to models. Cached ones are among those of the prompt.", "kind"),
		cost:      one("model_cost_dollars_total", "What our own requests to models cost, where the price is known."),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "killick_model_summary_seconds", Help: "Time that a summary by a model took, probes included.",
			Buckets: []float64{0.1, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320}}),
	}
}

func (m *summaryMetrics) register(r *prometheus.Registry) {
	r.MustRegister(m.summaries, m.verdicts, m.refused, m.calls, m.tokens, m.cost, m.seconds)
}

// ownTokens are those of prompts and completions, for what is saved on balance.
func (m *summaryMetrics) ownTokens() float64 {
	total := m.spentSoFar()
	return float64(total.PromptTokens + total.CompletionTokens)
}

func (m *summaryMetrics) spentSoFar() model.Spent {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// count counts a preparation. Every label is a fixed word.
func (m *summaryMetrics) count(p compactor.Preparation) {
	form := p.Form
	if form == "" {
		form = "none"
	}
	m.summaries.WithLabelValues(p.Outcome, form).Inc()
	if p.Probe != nil {
		m.verdicts.WithLabelValues(string(p.Probe.Verdict)).Inc()
	}
	if p.Unasked != nil {
		m.verdicts.WithLabelValues("error").Inc()
	}
	if p.Repaired {
		m.verdicts.WithLabelValues("repaired").Inc()
	}
	for why, n := range map[string]int{"invented": p.Refused.Invented, "contradicting": p.Refused.Contradicting, "commanding": p.Refused.Commanding, "groundless": p.Refused.Groundless} {
		m.refused.WithLabelValues(why).Add(float64(n))
	}
	if form != "none" {
		m.seconds.Observe(p.Duration.Seconds())
	}
}

func (m *summaryMetrics) spent(s model.Spent) {
	m.calls.Add(float64(s.Calls))
	m.cost.Add(s.Cost)
	m.mu.Lock()
	m.total.Add(s)
	m.mu.Unlock()
	m.tokens.WithLabelValues("prompt").Add(float64(s.PromptTokens))
	m.tokens.WithLabelValues("cached").Add(float64(s.CachedTokens))
	m.tokens.WithLabelValues("completion").Add(float64(s.CompletionTokens))
}
