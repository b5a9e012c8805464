package main

func (l *loader) validateModel() {
	m := &l.Model
	if m.Name == "" && (m.BaseURL != "" || m.APIKey != "") && !l.faulty("model.base_url") && !l.faulty("model.api_key") {
		l.invalid("model.name", "is empty, so the client's own model is asked with its own key; name the model that model.base_url and model.api_key are for")
	}
	if m.Window != 0 && m.Window < leastTokens {
		l.invalid("model.window", "%d is not a window in tokens (≥ %d); write 0 for the published one", m.Window, leastTokens)
	}
	if m.MaxOutput < leastOutput {
		l.invalid("model.max_output", "%d tokens leave no room for a summary (≥ %d)", m.MaxOutput, leastOutput)
	}
	if m.Window >= leastTokens && m.MaxOutput > m.Window/2 && !l.faulty("model.max_output") {
		l.invalid("model.max_output", "%d leaves less than half of model.window, which is %d, to what is summarised", m.MaxOutput, m.Window)
	}
	l.notNegative("model.max_calls", m.MaxCalls)
	if m.MaxSpend < 0 {
		l.invalid("model.max_spend", "%v is negative; write US dollars, or 0 for any number", m.MaxSpend)
	}
}

// leastOutput is the fewest tokens that a summary's sections fit in.
const leastOutput = 500

func (l *loader) validateProbe() {
	p := &l.Probe
	share := func(path string, f float64) {
		if f < 0 || f > 1 {
			l.invalid(path, "%v is not a score (0 ≤ x ≤ 1)", f)
		}
	}
	share("probe.threshold", p.Threshold)
	share("probe.hard_fail_threshold", p.HardFailThreshold)
	if !l.faulty("probe.threshold") && p.HardFailThreshold > p.Threshold {
		l.invalid("probe.hard_fail_threshold", "%v is above probe.threshold, which is %v; a summary would pass and fail at once", p.HardFailThreshold, p.Threshold)
	}
	if l.notNegative("probe.max_questions", p.MaxQuestions); p.MaxQuestions == 1 {
		l.invalid("probe.max_questions", "1 question proves nothing, so none would be asked; write 2 or more, or 0 for none")
	}
	l.oneOf("probe.on_error", p.OnError, onErrorAccept, onErrorReject)
}
