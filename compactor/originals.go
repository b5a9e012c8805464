package compactor

import (
	"context"

	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/compactor/report"
)

// keepAgain stores all that the form cp and the short forms hide once more: what
// is in use must not expire, and what has expired is in the request. So is the report of the form.
func (w *run) keepAgain(ctx context.Context, cp *checkpoint.Checkpoint) {
	var hidden []string
	for i := range w.v.Truncated {
		hidden = append(hidden, w.v.Original(i).Text())
	}
	for i := range cp.Masks {
		hidden = append(hidden, w.v.Original(cp.Masks[i].Index).Text())
	}
	var form *checkpoint.Checkpoint
	folds, err := cp.Folds()
	if err != nil {
		w.failOpen("checkpoint_unreadable", err)
	}
	for _, to := range folds {
		f := history.New(w.v, form, w.job.budget, w.job.policy)
		k := fold.NewKeeper(f, w.job.count, w.conv.Handle)
		if form, err = fold.Replay(f, to, k); err != nil {
			w.failOpen("checkpoint_unreadable", err)
			break
		}
		hidden = append(hidden, k.Originals...)
	}
	w.keepOriginals(ctx, hidden)
	w.keepReport(ctx, cp)
}

func (w *run) keepOriginals(ctx context.Context, originals []string) {
	if len(originals) == 0 {
		return
	}
	list := make([]checkpoint.Original, len(originals))
	for i, text := range originals {
		list[i].Content = []byte(text)
		list[i].Handle = w.conv.Handle(list[i].Content)
	}
	if err := w.conv.Keep(ctx, list); err != nil {
		w.failOpen("store_write", err)
	}
}

// reportOf returns the report of a form as it is kept; false if it holds no record.
func (w *run) reportOf(cp *checkpoint.Checkpoint) (checkpoint.Original, bool) {
	if len(cp.Records) == 0 {
		return checkpoint.Original{}, false
	}
	var content []byte
	r, err := report.Of(cp)
	if err == nil {
		content, err = r.JSON()
	}
	if err != nil {
		w.failOpen("report_encoding", err)
		return checkpoint.Original{}, false
	}
	return checkpoint.Original{Handle: report.Ref(w.conv, cp.Covers), Content: content}, true
}

// keepReport stores the report of a new form. It comes after the form: of two that
// are made at once one stands, and the report is of that.
func (w *run) keepReport(ctx context.Context, cp *checkpoint.Checkpoint) {
	report, ok := w.reportOf(cp)
	if !ok {
		return
	}
	if err := w.conv.Keep(ctx, []checkpoint.Original{report}); err != nil {
		w.failOpen("store_write", err)
	}
}
