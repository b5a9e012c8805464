package fold

import (
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/summary"
	"killick/summary/names"
	"killick/summary/quotes"
	"killick/summary/workset"
	"killick/transcript"
)

// composition makes a form and the draft of its last record.
type composition struct {
	h     *history.History
	old   *Old
	to    int // the new frontier
	k     *Keeper
	src   *quotes.Source
	calls []transcript.Call // before the frontier
	made  []transcript.Call // those of the new turns, with what the provider ran

	newer, all *summary.Summary // of the new turns, and of all folded turns
	form       *checkpoint.Checkpoint
	details    checkpoint.Details // of the form
	draft      *Draft
}

// Compose makes the form that folds the messages before index to, without its last record, and the
// draft of that record.
func Compose(
	h *history.History, old *Old, to int, k *Keeper,
) (*checkpoint.Checkpoint, *Draft, error) {
	k.Originals, k.collecting = nil, true
	c := &composition{h: h, old: old, to: to, k: k, src: source(h)}
	c.calls = h.Transcript.CallsBefore(to)
	c.made = h.Transcript.WithHosted(c.calls, old.Fold, to)
	if err := c.read(); err != nil {
		return nil, nil, err
	}
	from := c.begin()
	if err := c.keep(from); err != nil {
		return nil, nil, err
	}
	if err := c.addWorkingSet(); err != nil {
		return nil, nil, err
	}
	c.addNames()
	c.form.Dropped = dropped(h, c.form, c.draft.Kept)
	c.draft.Originals = k.Originals
	return c.form.WithDetails(c.details), c.draft, nil
}

// read reads the new turns, and adds them to the summary so far.
func (c *composition) read() error {
	newer := summary.Read(c.src, c.made, c.old.Fold, c.to, c.old.Summary)
	if newer.Task = c.k.task() + 1; newer.Task > c.to {
		newer.Task = 0
	}
	all := summary.Merge(*c.old.Summary, newer)
	newer.Latest = all.Latest
	known := c.old.Summary.Pinned
	pinned, err := c.k.quotes(c.old.Fold, c.to, known)
	if err != nil {
		return err
	}
	pinned = append(pinned, c.k.opening(pinned)...)
	all.Pinned = slices.Concat(pinned,
		c.k.fetchedAgain(c.h, c.old.Fold, c.to, pinned, known))
	newer.Pinned = slices.DeleteFunc(slices.Clone(all.Pinned), func(p summary.Pinned) bool {
		return p.At <= c.old.Fold
	})
	c.newer, c.all = &newer, &all
	return nil
}

// begin begins the form and the draft. It returns the message from which on the record is about the
// turns: 0, or the end of the last fold if the earlier records stay.
func (c *composition) begin() (from int) {
	h, old := c.h, c.old
	c.form = &checkpoint.Checkpoint{Fold: c.to, Covers: c.to, At: len(h.View.Messages)}
	c.form.Masks = old.masksFrom(c.to)
	if n := len(c.form.Masks); n > 0 {
		c.form.Covers = c.form.Masks[n-1].Index + 1
	}
	c.draft = newDraft(h, c.all)
	c.draft.Carried = old.Summary.Statements
	c.details = checkpoint.Details{
		Folds: append(slices.Clone(old.Folds), c.to), Summary: c.all,
	}
	room := h.Policy.SummaryRoom(h.Budget)
	if len(old.Records) == 0 ||
		checkpoint.Tokens(old.Records)+room/4 > h.Policy.RecordRoom(h.Budget) {
		return 0
	}
	c.draft.Summary, c.draft.before = c.newer, checkpoint.Text(old.Records)
	c.draft.Room.Summary = min(c.draft.Room.Summary, h.Policy.SummaryBytes/4)
	c.form.Records = slices.Clone(old.Records)
	return old.Fold
}

// keep chooses the messages that stay, and quotes others. The record is about the turns from a
// message on.
func (c *composition) keep(from int) (err error) {
	d, all, old := c.draft, c.all, c.old.Summary
	if d.Kept, err = c.k.choose(from, c.to, keptTokens(c.form.Records)); err != nil {
		return err
	}
	d.Summary.FillWords(c.src, from, c.to, checkpoint.ListKept(d.Kept))
	if from > 0 {
		all.Kept = append(slices.Clone(old.Kept), c.newer.Kept...)
		all.Words = append(slices.Clone(c.newer.Words), old.Words...)
		all.WordsLeftOut = old.WordsLeftOut + c.newer.WordsLeftOut
	}
	all.Originals = keepFolded(c.h, c.old, c.to, c.k)
	d.Summary.Originals = all.Originals
	return nil
}

// addWorkingSet adds the lines of files that follow the records. It names messages after the folded
// ones if their calls may have changed a file; the form is not for a branch without these.
func (c *composition) addWorkingSet() error {
	if c.h.Policy.WorkingSetTokens <= 0 {
		return nil
	}
	room := c.h.Policy.WorkingSetRoom(c.h.Budget)
	blocks := workset.Extend(c.src, c.old.Blocks, c.calls, c.old.Fold, c.to, room)
	c.details.Blocks = blocks
	set, covers, err := working(c.h, c.src, blocks, c.to, c.k)
	c.form.Working, c.form.Covers = set, max(c.form.Covers, covers)
	return err
}

// addNames adds the index of names to the draft.
func (c *composition) addNames() {
	if c.h.Policy.IndexTokens <= 0 {
		return
	}
	room := c.h.Policy.IndexRoom(c.h.Budget)
	c.details.Names = namesReader(c.h).Read(c.src, c.old.Names, c.made, c.old.Fold, c.to, room)
	c.draft.Summary.Names = c.details.Names.List(c.writtenLater, room, c.wordsWithoutIndex()...)
}

// writtenLater returns the words in the arguments of the calls after the folded turns.
func (c *composition) writtenLater() (words []string) {
	calls := c.h.Transcript.Calls[len(c.calls):]
	for i := range calls {
		words = append(words, names.Words(c.src.Redacted(calls[i].Texts()))...)
	}
	return words
}

// wordsWithoutIndex returns the words that the form shows without an index: an index need not list
// them again.
func (c *composition) wordsWithoutIndex() [][]string {
	words := [][]string{
		summary.References(c.draft.withoutNames()), names.Words(c.form.Working.Text()),
	}
	if c.draft.before != "" {
		words = append(words, c.k.wordsOf(c.old.Records)...)
	}
	return append(words, c.k.wordsOfKept(c.h, c.form.KeptWith(c.draft.Kept))...)
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
