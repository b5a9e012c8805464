package fold

import (
	"errors"
	"slices"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
)

// Make returns the form of the request with the turns up to a new frontier replaced by a record,
// and the draft of that record. The new turns are read, added to the summary so far, rendered and
// checked. While the records are small, the new turns get their own record after them, so that the
// earlier records stay in the provider's prompt cache. Else one record replaces all of them.
//
// With ErrCoverage, the returned form has too little of what it replaces.
func Make(
	h *history.History, c layout.Counter, refOf func([]byte) string,
) (*checkpoint.Checkpoint, *Draft, error) {
	old, err := OldOf(h)
	if err != nil {
		return nil, nil, err
	}
	k := NewKeeper(h, c, refOf)
	room, err := TailRoom(h, old, k)
	if err != nil {
		return nil, nil, err
	}
	to := h.FoldTo(room)
	if to == 0 {
		return nil, nil, ErrNothing
	}
	return makeTo(h, old, to, k)
}

// MakeTo is Make with a given frontier: the end of a group, after what is folded and not past what
// may be folded. The error is ErrNothing if it is not.
func MakeTo(
	h *history.History, to int, c layout.Counter, refOf func([]byte) string,
) (*checkpoint.Checkpoint, *Draft, error) {
	if to <= h.Folded() || to > h.View.Foldable() || !h.View.MayCut(to) {
		return nil, nil, ErrNothing
	}
	old, err := OldOf(h)
	if err != nil {
		return nil, nil, err
	}
	return makeTo(h, old, to, NewKeeper(h, c, refOf))
}

func makeTo(
	h *history.History, old *Old, to int, k *Keeper,
) (*checkpoint.Checkpoint, *Draft, error) {
	cp, d, err := Compose(h, old, to, k)
	if err != nil {
		return nil, nil, err
	}
	if err = verify(h, cp, d, to); err != nil && !errors.Is(err, ErrCoverage) {
		return nil, nil, err
	}
	if failed := d.Count(k.count); failed != nil {
		return nil, nil, failed
	}
	cp.Records = append(cp.Records, d.Record)
	return cp, d, err
}

// TailRoom returns the part of the target that is left for the messages after the fold. It assumes
// the most kept messages: those of a fold up to the last possible frontier. A long one, such as a
// pasted document, counts as half of the target, so that it leaves room for the newest turns. In a
// chat all of them count as a quarter at most: the newest turns have the replies to the newest.
func TailRoom(h *history.History, old *Old, k *Keeper) (int, error) {
	last := max(old.Fold, h.FoldTo(0))
	most, err := k.choose(old.Fold, last, keptTokens(old.Records))
	if err != nil {
		return 0, err
	}
	room := h.Budget.Target - h.View.PreambleRounded() - h.View.Staying(last) -
		h.Policy.SummaryRoom(h.Budget)/4
	kept := 0
	for i := range most {
		kept += min(most[i].Tokens, h.Budget.Turns()/2)
	}
	if h.Budget.Chat {
		kept = min(kept, h.Budget.Turns()/4)
	}
	return room - kept, nil
}

// dropped returns everything that is left out: by earlier folds, by the new fold, and by masks.
func dropped(
	h *history.History, cp *checkpoint.Checkpoint, kept []checkpoint.Kept,
) []compaction.Dropped {
	var list []compaction.Dropped
	if h.Form != nil {
		masked := func(d compaction.Dropped) bool { return d.Kind == "tool_outputs" }
		list = slices.DeleteFunc(slices.Clone(h.Form.Dropped), masked)
	}
	whole := map[int]bool{}
	for i := range kept {
		whole[kept[i].Index] = kept[i].Raw == nil
	}
	for i := h.Folded(); i < cp.Fold; i++ {
		if m := &h.View.Messages[i]; !h.View.Stays(i) && !whole[i] {
			list = checkpoint.AddFolded(list, m, h.View.Tokens[i])
		}
	}
	outputs := compaction.Dropped{Kind: "tool_outputs", Count: len(cp.Masks)}
	for i := range cp.Masks {
		outputs.Tokens += cp.Masks[i].Saved
	}
	return checkpoint.AddDropped(list, outputs)
}

// Option returns the size and the expected cost of a fold.
func Option(h *history.History, folded *checkpoint.Checkpoint) plan.Option {
	o := plan.Option{
		Outcome:   plan.Fold,
		After:     checkpoint.Size(h.View, folded, h.View.PreambleRounded()),
		Rewritten: h.Rewritten(folded),
	}
	o.Loss = h.Loss(func(yield func(int) bool) {
		for i := h.Folded(); i < folded.Fold; i++ {
			if !h.Masked(i) && !yield(i) {
				return
			}
		}
	}, o.After)
	return o
}
