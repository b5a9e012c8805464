package tokenizer

func (m Model) ratioKey() ratioKey { return ratioKey{m.client.who, m.name} }

// settled reports whether requests may be forwarded without being counted. Those of a model whose
// tokenizer is not published are counted until something was reported for it.
func (m Model) settled() bool {
	if m.bounds == &publishedBounds {
		return true
	}
	r := m.ratios.get(m.ratioKey())
	return r.reports > 0 || r.adopted > 0
}

// Ratio returns the number of tokens that the model may count for one of ours in a request with
// this body, at least 1. It is the factor of the body, corrected by what upstreams reported to the
// client for the model.
func (m Model) Ratio(body []byte) float64 { return max(m.Factor(body)*m.corrected(), 1) }

// corrected returns the correction of the factor.
func (m Model) corrected() float64 {
	r := m.ratios.get(m.ratioKey())
	return r.value(m.bounds)
}

// Observe takes the upstream's count of a request and our estimate of it, which is our count times
// [Model.Factor]. It reports whether the count was plausible. It must not be called for requests
// with much that is not text, since their counts say little about the tokenizer.
func (m Model) Observe(estimate, theirs int) (believed bool) {
	return m.ratios.observe(m.ratioKey(), estimate, theirs)
}

// Hash identifies the model's name, by [Options.Hash].
func (m Model) Hash() uint64 { return m.name }

// Learned returns the correction that follows from the reports of this process. ok is false if
// there are too few.
func (m Model) Learned() (ratio float64, ok bool) {
	r := m.ratios.get(m.ratioKey())
	return r.value(m.bounds), r.reports >= fewReports
}
