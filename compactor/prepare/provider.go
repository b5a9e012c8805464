package prepare

import (
	"context"
	"errors"
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/view"
)

// FormProvider is the Form of summaries written by the provider's API.
const FormProvider = "provider"

// errTooLittle means that a form with the provider's summary would still be too large.
var errTooLittle = errors.New("too many turns would remain after the provider's summary")

// summarize asks the provider's API for a summary of the first to messages, and stores it. It
// cannot be verified, so it is sent beside the record and not as a part of it.
func (p *preparation) summarize(ctx context.Context, to int) (string, error) {
	writing, cancel := context.WithTimeout(ctx, p.options.WriteTimeout)
	defer cancel()
	p.report.Form = FormProvider
	got, err := p.Summarizer.Summarize(writing, p.sent, len(p.View.Messages)-to)
	if err != nil {
		return ModelFailed, err
	}
	if p.Policy.Redact.Of(got.Text) != got.Text {
		return RejectedCredential, nil // it is signed, so nothing can be removed from it
	}
	if _, err := p.View.Parse(got.Message); err != nil {
		return RejectedInvalid, err
	}
	return p.store(ctx, &stored{
		Version: storedVersion, Covers: to, At: len(p.View.Messages),
		Base: checkpoint.BaseOf(p.form), Form: FormProvider,
		Provider: got.Message, Origin: p.Origin,
	})
}

// summarized returns how many messages the provider should summarise if a fold would replace the
// first to messages: as many, or a few more if a summary cannot end there. It returns 0 if there is
// no valid end.
func (p *preparation) summarized(to int) int {
	place := 0
	if p.form != nil && p.form.Provider != nil {
		// The next summary must also replace the record that is sent before this message. The
		// last message of that record is the user's.
		place = p.form.Provider.Place
	}
	to = max(to, place)
	limit := p.View.Foldable()
	for _, g := range p.View.Groups[p.View.GroupAt(to):] {
		if g.Start > limit {
			return 0
		}
		if checkpoint.MayPrecede(p.View, g.Start) &&
			(g.Start != place || p.View.Messages[g.Start].Role() == view.Assistant) {
			return g.Start
		}
	}
	return 0
}

// withProvider folds the turns that the provider's API has summarised. It returns the form with
// that summary and the originals that it replaces, nil if no summary can be used.
func (t *Task) withProvider(
	h *history.History, next *stored, size int,
) (*checkpoint.Checkpoint, []checkpoint.Original) {
	// At an earlier point of the conversation, the thinking after it followed another form.
	if next == nil || next.Provider == nil || next.Origin != t.Origin || t.Summarizer == nil ||
		len(h.View.Messages) != len(t.View.Messages) {
		return nil, nil
	}
	cp, originals, err := t.foldUnder(h, next, size)
	if err != nil {
		t.FailOpen("provider_summary_unused", err)
		return nil, nil
	}
	return cp, originals
}

// foldUnder returns a fold of the turns that next summarises, with that summary, and the originals
// that it replaces.
func (t *Task) foldUnder(
	h *history.History, next *stored, size int,
) (*checkpoint.Checkpoint, []checkpoint.Original, error) {
	cp, d, err := fold.MakeTo(h, next.Covers, t.Count, t.Conversation.Ref)
	if err != nil {
		return nil, nil, err
	}
	cp, err = cp.WithProvider(h.View, h.Form, checkpoint.ProviderSummary{
		Raw: next.Provider, Origin: next.Origin,
	}, t.Count)
	if err != nil {
		return nil, nil, err
	}
	after := checkpoint.Size(h.View, cp, h.View.PreambleRounded())
	switch target := t.Budget.Target; {
	case !t.Budget.Bounds().Enough(size, after), after-target > (size-target)/2:
		return nil, nil, errTooLittle
	case !t.sameStubs(h, cp):
		return nil, nil, errStub
	}
	cp.Written = FormProvider
	return cp, d.Originals, nil
}

// errStub means that a message after the summary would change.
var errStub = errors.New("a stub after the provider's summary would be filled differently")

// sameStubs reports whether a form fills the stubs after its fold as the present form does.
func (t *Task) sameStubs(h *history.History, cp *checkpoint.Checkpoint) bool {
	before := h.Form
	if before == nil {
		before = &checkpoint.Checkpoint{}
	}
	window := t.Budget.Window
	was := history.StubsFrom(history.Filled(h.View, before, window, t.Count), cp.Fold)
	return slices.Equal(
		was,
		history.StubsFrom(history.Filled(h.View, cp, window, t.Count), cp.Fold),
	)
}
