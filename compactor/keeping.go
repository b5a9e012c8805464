package compactor

import (
	"context"
	"fmt"
	"strings"

	"killick/summary"
)

// keepAll notes what a fold to message to takes away, and returns the bare form
// from which the next fold goes on.
func (f *frontier) keepAll(to int, k *keeper) *Checkpoint {
	old := f.old()
	k.collecting = true
	_, _ = k.choose(0, to) // for what it cuts; that it fits was seen when the form was made
	return &Checkpoint{Fold: to, Summary: &summary.Summary{Originals: f.keepFolded(&old, to, k)}}
}

// keepFolded notes the outputs that a fold takes away, and a list of them with
// their handles, whose own handle it returns: one for a record, not one for each
// output, which would cost too much. Long messages of the assistant and of persons,
// which a record quotes with cuts, stand in it too. Outputs that were masked or
// shortened before are kept already; small ones are not worth it.
func (f *frontier) keepFolded(old *Checkpoint, to int, k *keeper) (list string) {
	var b strings.Builder
	masked := map[int]bool{}
	for i := range old.Masks {
		masked[old.Masks[i].Index] = true
	}
	for i := old.Fold; i < to; i++ {
		m := f.v.original(i)
		if f.v.tokens[i] < f.policy.MinMaskTokens || m.Role().Instructs() {
			continue
		}
		whole, what := m.Text(), string(m.Role())
		if whole == "" {
			continue
		}
		if c := f.t.Answered(i); c >= 0 {
			what = summary.Describe(&f.t.Calls[c], 200)
		}
		if _, short := f.v.short[i]; !short && !masked[i] {
			k.keep(whole)
		}
		fmt.Fprintf(&b, "ref=%s message %d: %s\n", k.handle([]byte(whole)), i+1, what)
	}
	if b.Len() == 0 {
		return old.Summary.Originals
	}
	if earlier := old.Summary.Originals; earlier != "" {
		fmt.Fprintf(&b, "ref=%s earlier messages\n", earlier)
	}
	k.keep(b.String())
	return k.handle([]byte(b.String()))
}

// keepAgain stores all that the form cp and the short forms hide once more: what
// is in use must not expire, and what has expired is in the request. So is the report of the form.
func (w *work) keepAgain(ctx context.Context, cp *Checkpoint) {
	var hidden []string
	for i := range w.v.short {
		hidden = append(hidden, w.v.original(i).Text())
	}
	for i := range cp.Masks {
		hidden = append(hidden, w.v.original(cp.Masks[i].Index).Text())
	}
	var form *Checkpoint
	for _, to := range cp.Folds {
		f := newFrontier(w.v, form, w.job.budget, w.job.policy)
		k := f.keeper(w.job.count, w.conv.Handle)
		form = f.keepAll(to, k)
		hidden = append(hidden, k.originals...)
	}
	w.keepOriginals(ctx, hidden)
	w.keepReport(ctx, cp)
}

func (w *work) keepOriginals(ctx context.Context, originals []string) {
	if len(originals) == 0 {
		return
	}
	list := make([]Original, len(originals))
	for i, text := range originals {
		list[i].Content = []byte(text)
		list[i].Handle = w.conv.Handle(list[i].Content)
	}
	if err := w.conv.Keep(ctx, list); err != nil {
		w.failOpen("store_write", err)
	}
}
