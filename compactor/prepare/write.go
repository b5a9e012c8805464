package prepare

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/settings"
	"killick/probe"
	"killick/probe/value"
	"killick/summary"
)

// write has a model write statements about the turns; grounds, verifies and quizzes them; and
// stores the rest.
func (p *preparation) write(
	ctx context.Context, turns Turns, soFar string, to int,
) (string, error) {
	writing, cancel := context.WithTimeout(ctx, p.options.WriteTimeout)
	defer cancel()
	written, err := p.Author.Write(writing, p.sent, turns, soFar)
	p.report.Form, p.report.Written = written.Form, written.Statements
	if err != nil {
		return ModelFailed, err
	}
	index := probe.NewIndex(turns.Messages, turns.First)
	grounded := p.grounded(index, written.Statements)
	if len(grounded) == 0 {
		return RejectedEmpty, nil
	}
	checks := probe.WithControls(grounded)
	// The messages after the turns count too: the next fold keeps the statements.
	checks.Others = p.whole.Others(grounded)
	answers, err := p.Author.Verify(writing, p.sent, checks)
	if err != nil {
		return RejectedUnverified, err
	}
	verdicts, ok := checks.Answers(answers)
	if !ok {
		return RejectedVerifier, errControl
	}
	verified, dropped := probe.Verified(grounded, verdicts)
	p.report.Dropped = append(p.report.Dropped, dropped...)
	if len(verified) == 0 {
		return RejectedEmpty, nil
	}
	p.report.Kept = statements(verified, p.Policy.Redact)
	p.report.Probe = &compaction.ModelProbe{
		Verdict: compaction.Unprobed, Verified: len(verified), Written: len(written.Statements),
	}
	if outcome, err := p.quiz(ctx, index, turns); outcome != "" {
		return outcome, err
	}
	return p.store(ctx, &stored{
		Version: storedVersion, Covers: to, At: len(p.View.Messages),
		Base: checkpoint.BaseOf(p.form), Form: written.Form,
		Statements: p.report.Kept, Probe: p.report.Probe, TakenBack: p.takenBack,
	})
}

// errControl means that a model did not reject a true statement beside the quote of another.
var errControl = errors.New("the verifying model did not reject what its quote does not say")

// grounded returns the statements that are grounded in the turns, with what a verifier sees beside
// them.
func (p *preparation) grounded(
	index *probe.Index, written []probe.Statement,
) []probe.Statement {
	kept, dropped := index.Ground(index.Locate(written))
	kept, secret := p.whole.Passages(kept)
	dropped = append(dropped, secret...)
	if p.options.RedactIdentifiers {
		all := kept
		kept = nil
		for _, s := range all {
			if identifies(s.Text) || identifies(s.Quote) {
				dropped = append(dropped, probe.Drop{Statement: s, Reason: holdsIdentifier})
			} else {
				kept = append(kept, s)
			}
		}
	}
	p.report.Dropped = dropped
	return kept
}

// holdsIdentifier is the reason against a statement under RedactIdentifiers.
const holdsIdentifier probe.Reason = "holds an identifier"

// identifies reports whether a text contains an identifier or an address.
func identifies(text string) bool {
	return slices.ContainsFunc(value.In(text), func(v value.Value) bool {
		return v.Kind == value.Identifier || v.Kind == value.URL
	})
}

// statements returns verified statements as a record shows them: without credentials.
func statements(verified []probe.Statement, redact settings.Redaction) []summary.Statement {
	list := make([]summary.Statement, 0, len(verified))
	for _, s := range verified[:min(len(verified), maxStatements)] {
		list = append(list, summary.Statement{
			Section: s.Section, Text: redact.Of(s.Text),
			Messages: s.Messages, Quote: redact.Of(s.Quote), Writer: s.Writer,
		})
	}
	return list
}

// store stores what was prepared, separately from the forms in use.
func (p *preparation) store(ctx context.Context, next *stored) (string, error) {
	value, err := json.Marshal(next)
	if err == nil {
		_, err = decodeStored(value, next.Covers)
	}
	if err != nil {
		return RejectedInvalid, err
	}
	// A cancelled preparation must not be stored: the client's data may be deleted by now.
	if ctx.Err() != nil {
		return Cancelled, ctx.Err()
	}
	first, err := p.Prepared.Put(ctx, next.Covers, -1, value)
	switch {
	case err != nil:
		return NotStored, err
	case string(first) != string(value):
		return Second, nil
	}
	return Prepared, nil
}
