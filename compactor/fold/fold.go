package fold

import (
	"errors"
	"slices"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/summary"
	"killick/summary/names"
	"killick/summary/quotes"
	"killick/summary/workset"
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

// source returns the conversation as package summary reads it. Each message is read once for all
// folds of a request.
func source(h *history.History) *quotes.Source {
	type key struct{}
	memo := h.View.Once(key{}, func() any { return quotes.NewMemo() }).(*quotes.Memo)
	return &quotes.Source{
		Transcript: h.Transcript, Redact: h.Policy.Redact, Memo: memo,
		Place: func(i int) int { return h.View.Before[i] },
	}
}

// namesReader returns the reader of names for all folds of a request.
func namesReader(h *history.History) *names.Reader {
	type key struct{}
	return h.View.Once(key{}, func() any { return new(names.Reader) }).(*names.Reader)
}

// Compose makes the form that folds the messages before index to, without its last record, and the
// draft of that record.
func Compose(
	h *history.History, old *Old, to int, k *Keeper,
) (*checkpoint.Checkpoint, *Draft, error) {
	k.Originals, k.collecting = nil, true
	src, calls := source(h), h.Transcript.CallsBefore(to)
	made := h.Transcript.WithHosted(calls, old.Fold, to)
	newer := summary.Read(src, made, old.Fold, to, old.Summary)
	newer.Task = k.task() + 1
	if newer.Task > to {
		newer.Task = 0
	}
	all := summary.Merge(*old.Summary, newer)
	newer.Latest = all.Latest
	var err error
	if all.Pinned, err = k.quotes(old.Fold, to, old.Summary.Pinned); err != nil {
		return nil, nil, err
	}
	again := k.fetchedAgain(h, old.Fold, to, all.Pinned)
	newer.Pinned = slices.Concat(all.Pinned[len(old.Summary.Pinned):], again)
	all.Pinned = slices.Concat(k.stillReturned(old.Fold, to, all.Pinned), again)
	cp := &checkpoint.Checkpoint{Fold: to, Covers: to, At: len(h.View.Messages)}
	cp.Masks = old.masksFrom(to)
	if n := len(cp.Masks); n > 0 {
		cp.Covers = cp.Masks[n-1].Index + 1
	}
	d, from := newDraft(h, &all), 0
	d.Carried = old.Summary.Statements
	details := checkpoint.Details{Folds: append(slices.Clone(old.Folds), to), Summary: &all}
	if room := h.Policy.SummaryRoom(h.Budget); len(old.Records) > 0 &&
		checkpoint.Tokens(old.Records)+room/4 <= h.Policy.RecordRoom(h.Budget) {
		from = old.Fold
		d.Summary, d.before = &newer, checkpoint.Text(old.Records)
		d.Room.Summary = min(d.Room.Summary, h.Policy.SummaryBytes/4)
		cp.Records = slices.Clone(old.Records)
	}
	if d.Kept, err = k.choose(from, to, keptTokens(cp.Records)); err != nil {
		return nil, nil, err
	}
	d.Summary.FillWords(src, from, to, checkpoint.ListKept(d.Kept))
	if from > 0 {
		all.Kept = append(slices.Clone(old.Summary.Kept), newer.Kept...)
		all.Words = append(slices.Clone(newer.Words), old.Summary.Words...)
		all.WordsLeftOut = old.Summary.WordsLeftOut + newer.WordsLeftOut
	}
	all.Originals = keepFolded(h, old, to, k)
	d.Summary.Originals = all.Originals
	if h.Policy.WorkingSetTokens > 0 {
		room := h.Policy.WorkingSetRoom(h.Budget)
		details.Blocks = workset.Extend(src, old.Blocks, calls, old.Fold, to, room)
		if cp.Working, err = working(h, src, details.Blocks, to, k); err != nil {
			return nil, nil, err
		}
	}
	if h.Policy.IndexTokens > 0 {
		room := h.Policy.IndexRoom(h.Budget)
		details.Names = namesReader(h).Read(src, old.Names, made, old.Fold, to, room)
		later := writtenLater(h, src, to)
		d.Summary.Names = details.Names.List(later, room, d.shownBeside(h, cp, old, k)...)
	}
	cp.Dropped = dropped(h, cp, d.Kept)
	d.Originals = k.Originals
	return cp.WithDetails(details), d, nil
}

// writtenLater returns the words in the arguments of the calls after the folded turns.
func writtenLater(h *history.History, src *quotes.Source, to int) (words []string) {
	calls := h.Transcript.Calls[len(h.Transcript.CallsBefore(to)):]
	for i := range calls {
		words = append(words, names.Words(src.Redacted(calls[i].Texts()))...)
	}
	return words
}

// shownBeside returns the words that the form cp shows without an index: an index need not list
// them again.
func (d *Draft) shownBeside(
	h *history.History, cp *checkpoint.Checkpoint, old *Old, k *Keeper,
) [][]string {
	words := [][]string{summary.References(d.withoutNames()), names.Words(cp.Working.Text())}
	if d.before != "" {
		words = append(words, k.wordsOf(old.Records)...)
	}
	return append(words, k.wordsOfKept(h, cp.KeptWith(d.Kept))...)
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
