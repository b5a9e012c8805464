package load

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"killick/internal/config"
	"killick/internal/patherror"
	"killick/model"
)

// resolveInstructions reads the operator's guidance if it is in a file.
func (l *loader) resolveInstructions() {
	const key = "model.instructions"
	file, ok := strings.CutPrefix(l.Model.Instructions, fileReference)
	if !ok {
		return
	}
	text, err := readInstructions(file)
	if err != nil {
		l.Invalid(key, "%v", err)
	}
	l.Model.Instructions = text
}

func readInstructions(path string) (string, error) {
	content, err := readStart(path, model.MaxInstructions)
	if err != nil {
		return "", fmt.Errorf("its file cannot be read: %w", patherror.Plain(err))
	}
	text := strings.TrimSpace(string(content))
	switch {
	case len(content) > model.MaxInstructions:
		return "", fmt.Errorf("%s holds more than %d bytes; a prompt has no more room for guidance",
			path, model.MaxInstructions)
	case text == "":
		return "", errors.New("its file is empty: " + path)
	}
	return text, nil
}

func (l *loader) validateModel() {
	m := &l.Model
	if m.Name == "" && (m.BaseURL != "" || m.APIKey != "") && !l.Faulty("model.base_url") &&
		!l.Faulty("model.api_key") {
		l.Invalid("model.name",
			"is empty, so the client's own model is called with its own key; name the model that "+
				"model.base_url and model.api_key are for")
	}
	l.oneOf("model.when", m.When, config.WhenAlways, config.WhenWindow)
	l.oneOf("model.identifiers", m.Identifiers, string(model.KeepIdentifiers),
		string(model.RedactIdentifiers))
	switch {
	case len(m.Instructions) > model.MaxInstructions:
		l.Invalid("model.instructions", "%d bytes are more than the %d that a prompt has room for",
			len(m.Instructions), model.MaxInstructions)
	case !utf8.ValidString(m.Instructions):
		l.Invalid("model.instructions", "is not UTF-8 text")
	}
	if m.Window != 0 && m.Window < config.MinTokens {
		l.Invalid("model.window",
			"%d is not a window in tokens (≥ %d); write 0 for the published one", m.Window,
			config.MinTokens)
	}
	if m.MaxOutput < minOutput {
		l.Invalid("model.max_output", "%d tokens leave no room for a summary (≥ %d)", m.MaxOutput,
			minOutput)
	}
	if m.Window >= config.MinTokens && m.MaxOutput > m.Window/2 && !l.Faulty("model.max_output") {
		l.Invalid("model.max_output",
			"%d leaves less than half of model.window, which is %d, to what is summarised",
			m.MaxOutput, m.Window)
	}
	l.notNegative("model.max_calls", m.MaxCalls)
	if m.MaxSpend < 0 {
		l.Invalid("model.max_spend", "%v is negative; write US dollars, or 0 for any number",
			m.MaxSpend)
	}
}

// minOutput is the minimum number of tokens that fits a summary's sections.
const minOutput = 500

func (l *loader) validateProbe() {
	p := &l.Probe
	share := func(path string, f float64) {
		if f < 0 || f > 1 {
			l.Invalid(path, "%v is not a score (0 ≤ x ≤ 1)", f)
		}
	}
	share("probe.threshold", p.Threshold)
	share("probe.hard_fail_threshold", p.HardFailThreshold)
	if !l.Faulty("probe.threshold") && p.HardFailThreshold > p.Threshold {
		l.Invalid("probe.hard_fail_threshold",
			"%v is above probe.threshold, which is %v; a summary would pass and fail at once",
			p.HardFailThreshold, p.Threshold)
	}
	if l.notNegative("probe.max_questions", p.MaxQuestions); p.MaxQuestions == 1 {
		l.Invalid("probe.max_questions",
			"1 question proves nothing, so none would be asked; write 2 or more, or 0 for none")
	}
	l.oneOf("probe.on_error", p.OnError, config.OnErrorAccept, config.OnErrorReject)
	if m := &p.Model; m.Name == "" && (m.BaseURL != "" || m.APIKey != "") &&
		!l.Faulty("probe.model.base_url") && !l.Faulty("probe.model.api_key") {
		l.Invalid("probe.model.name",
			"is empty, so the model that wrote is called; name the model that "+
				"probe.model.base_url and probe.model.api_key are for")
	}
}
