package compactor

import (
	"context"

	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/compactor/report"
)

// keepAgain stores all that the form cp and the short forms hide once more: what
// is in use must not expire, and what has expired is in the request. So is where the report of
// the form is found.
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
	w.keepOriginals(ctx, hidden, cp)
}

// keepOriginals stores originals, and where the report of a form is found, nil for no form. It
// comes before the form: what leads to nothing yet is no report, and the form follows.
func (w *run) keepOriginals(ctx context.Context, originals []string, form *checkpoint.Checkpoint) {
	list := make([]checkpoint.Original, len(originals), len(originals)+1)
	for i, text := range originals {
		list[i].Content = []byte(text)
		list[i].Handle = w.conv.Handle(list[i].Content)
	}
	if form != nil && len(form.Records) > 0 {
		list = append(list, report.Pointer(w.conv, form.Covers))
	}
	if len(list) == 0 {
		return
	}
	if err := w.conv.Keep(ctx, list); err != nil {
		w.failOpen("store_write", err)
	}
}
