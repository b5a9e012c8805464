package compactor

import (
	"context"
	"fmt"
	"strings"
)

// keep notes a text of which the new form shows only a part.
func (f *frontier) keep(original string) { f.gone = append(f.gone, original) }

// keepAll notes what a fold to message to takes away, and returns the bare form
// from which the next fold goes on.
func (f *frontier) keepAll(to int, mk pinner) *Checkpoint {
	old := f.old()
	f.gone, mk.keep = nil, f.keep
	pins := old.Pins.advance(f.v.msgs[old.Fold:to], mk)
	return &Checkpoint{Fold: to, Pins: &pins, Summary: &Summary{Originals: f.keepFolded(&old, to, mk)}}
}

// keepFolded notes the outputs that a fold takes away, and a list of them with
// their handles, whose own handle it returns: one for a record, not one for each
// output, which would cost too much. Outputs that were masked or shortened before
// are kept already; small ones are not worth it.
func (f *frontier) keepFolded(old *Checkpoint, to int, mk pinner) (list string) {
	var b strings.Builder
	masked := map[int]bool{}
	for i := range old.Masks {
		masked[old.Masks[i].Index] = true
	}
	for i := old.Fold; i < to; i++ {
		if f.v.tokens[i] < f.policy.MinMaskTokens || !f.v.msgs[i].Role().Result() {
			continue
		}
		output, what := f.v.original(i).Text(), "an output"
		if c := f.answer[i]; c >= 0 {
			what = f.calls[c].describe(200)
		}
		if _, short := f.v.short[i]; !short && !masked[i] {
			f.keep(output)
		}
		fmt.Fprintf(&b, "ref=%s %s\n", mk.handle([]byte(output)), what)
	}
	if b.Len() == 0 {
		return old.Summary.Originals
	}
	if earlier := old.Summary.Originals; earlier != "" {
		fmt.Fprintf(&b, "ref=%s earlier outputs\n", earlier)
	}
	f.keep(b.String())
	return mk.handle([]byte(b.String()))
}

// keepAgain stores all that the form cp and the short forms hide once more: what
// is in use must not expire, and what has expired is in the request.
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
		f := newFrontier(w.v, form, w.budget, w.policy)
		form = f.keepAll(to, f.pinner(w.count, w.conv.Handle))
		hidden = append(hidden, f.gone...)
	}
	w.keepOriginals(ctx, hidden)
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
