package compactor

import (
	"context"

	"killick/compactor/checkpoint"
	"killick/compactor/fold"
	"killick/compactor/history"
	"killick/compactor/report"
)

// renewOriginals stores all originals of what the form cp and truncation hide once more: what is in
// use must not expire, and what has expired is in the request. It also renews the pointer to the
// report of the form.
func (w *run) renewOriginals(ctx context.Context, cp *checkpoint.Checkpoint) {
	var hidden []checkpoint.Original
	hide := func(i int) {
		text := w.v.Original(i).Text()
		hidden = append(hidden, checkpoint.NewOriginal(text, w.conv.Ref))
	}
	for i := range w.v.Truncated {
		hide(i)
	}
	for i := range cp.Masks {
		hide(cp.Masks[i].Index)
	}
	var form *checkpoint.Checkpoint
	folds, err := cp.Folds()
	if err != nil {
		w.failOpen("checkpoint_unreadable", err)
	}
	for _, to := range folds {
		h := history.New(w.v, form, w.budgetAt(to), w.job.policy)
		k := fold.NewKeeper(h, w.job.count, w.conv.Ref)
		if form, err = fold.Replay(h, to, k); err != nil {
			w.failOpen("checkpoint_unreadable", err)
			break
		}
		hidden = append(hidden, k.Originals...)
	}
	w.keepOriginals(ctx, hidden, cp)
}

// keepOriginals stores originals and, if form is not nil, where its report is. It is called before
// the form is stored: until then, the report is not found.
func (w *run) keepOriginals(
	ctx context.Context, originals []checkpoint.Original, form *checkpoint.Checkpoint,
) {
	list := make([]checkpoint.Original, 0, len(originals)+1)
	listed := make(map[string]bool, len(originals))
	for _, o := range originals { // consecutive folds hide some of the same
		if !listed[o.Ref] {
			listed[o.Ref] = true
			list = append(list, o)
		}
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
