package fold

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/summary"
)

// Why a fold is not used.
var (
	ErrNothing  = errors.New("nothing more can be folded")
	ErrNoGain   = errors.New("no worthwhile gain")
	ErrCoverage = errors.New("the record holds too little of what it replaces")
)

// draft is a record in the making.
type Draft struct {
	checkpoint.Record
	Summary *summary.Summary // of the turns that this record tells of
	Room    summary.Room
	before  string // the text of the records that stay before it

	Originals []string // what the fold takes away
}

// fold returns the form of the request with the turns up to a new frontier
// replaced by a record: the new turns are read, added to the summary so far,
// rendered and checked. While the records are small, what is new is told in one of
// its own behind them, so that the provider's prompt cache keeps what stands before;
// then all are made one again.
//
// With errCoverage it returns what did not hold.
func Make(f *history.History, c layout.Counter, handle func([]byte) string) (*checkpoint.Checkpoint, *Draft, error) {
	old := Old(f)
	k := NewKeeper(f, c, handle)
	room, err := TailRoom(f, &old, k)
	if err != nil {
		return nil, nil, err
	}
	to := f.FoldTo(room)
	if to == 0 {
		return nil, nil, ErrNothing
	}
	cp, d, err := Compose(f, &old, to, k)
	if err != nil {
		return nil, nil, err
	}
	if err = Verify(f, cp, d, to); err != nil && !errors.Is(err, ErrCoverage) {
		return nil, nil, err
	}
	if failed := d.Count(c); failed != nil {
		return nil, nil, failed
	}
	cp.Records = append(cp.Records, d.Record)
	return cp, d, err
}

// keeper chooses what stays of the turns that are folded.
func NewKeeper(f *history.History, c layout.Counter, handle func([]byte) string) *Keeper {
	return &Keeper{v: f.View, t: f.Transcript, count: c, policy: &f.Policy, budget: f.Budget, handle: handle}
}

// old is the form so far, one that folds nothing if there is none.
func Old(f *history.History) checkpoint.Checkpoint {
	old := checkpoint.Checkpoint{Summary: &summary.Summary{}}
	if f.Form != nil && f.Form.Summary != nil {
		old = *f.Form
	} else if f.Form != nil {
		old.Masks = f.Form.Masks
	}
	return old
}

// source is the conversation as summaries read it.
func source(f *history.History) *summary.Source {
	return &summary.Source{Transcript: f.Transcript, Redact: f.Policy.Redact, Place: func(i int) int { return f.View.Before[i] }}
}

// compose makes the form that folds the first to messages, and the draft of its
// last record.
func Compose(f *history.History, old *checkpoint.Checkpoint, to int, k *Keeper) (*checkpoint.Checkpoint, *Draft, error) {
	k.Originals, k.collecting = nil, true
	src, calls := source(f), f.Transcript.CallsBefore(to)
	newer := summary.Read(src, calls, old.Fold, to, old.Summary)
	newer.Task = k.task() + 1
	if newer.Task > to {
		newer.Task = 0
	}
	all := summary.Merge(*old.Summary, newer)
	newer.Latest = all.Latest
	var err error
	if all.Pinned, err = k.quotesOf(old.Fold, to, old.Summary.Pinned); err != nil {
		return nil, nil, err
	}
	newer.Pinned = all.Pinned[len(old.Summary.Pinned):]

	cp := &checkpoint.Checkpoint{Version: checkpoint.Version, Fold: to, Covers: to, Summary: &all, Folds: append(slices.Clone(old.Folds), to)}
	for _, m := range old.Masks {
		if m.Index >= to {
			cp.Masks = append(cp.Masks, m)
			cp.Covers = m.Index + 1
		}
	}
	room := f.Policy.SummaryRoom(f.Budget)
	d := &Draft{Summary: &all, Room: summary.Room{Summary: room, All: f.Policy.SummaryChars}}
	d.Room.Summary = min(room, max(d.Room.All-bytesAToken*f.Policy.IndexRoom(f.Budget), d.Room.All/4))
	from := 0
	if len(old.Records) > 0 && checkpoint.Tokens(old.Records)+room/4 <= f.Policy.RecordRoom(f.Budget) {
		from = old.Fold
		d.Summary, d.before = &newer, checkpoint.Text(old.Records)
		d.Room.Summary = min(d.Room.Summary, f.Policy.SummaryChars/4)
		cp.Records = slices.Clone(old.Records)
	}
	if d.Kept, err = k.choose(from, to); err != nil {
		return nil, nil, err
	}
	d.Summary.FillWords(src, from, to, checkpoint.KeptAs(d.Kept))
	if from > 0 {
		all.Kept = append(slices.Clone(old.Summary.Kept), newer.Kept...)
		all.Words = append(slices.Clone(newer.Words), old.Summary.Words...)
		all.WordsLeftOut = old.Summary.WordsLeftOut + newer.WordsLeftOut
	}
	all.Originals = keepFolded(f, old, to, k)
	d.Summary.Originals = all.Originals
	if f.Policy.IndexTokens > 0 {
		names := summary.Names(src, old.Names, calls, old.Fold, to)
		cp.Names = names.Encode()
		d.Summary.Names = names.List(f.Policy.IndexRoom(f.Budget), d.before+d.withoutNames()+TextOfKept(f, cp.KeptWith(d.Kept)))
	}
	cp.Dropped = droppedBy(f, cp, d.Kept)
	d.Originals = k.Originals
	return cp, d, nil
}

// bytesAToken is about how many bytes of an index a token takes, labels counted.
const bytesAToken = 4

// textOfKept is what the kept messages say.
func TextOfKept(f *history.History, kept []checkpoint.Kept) string {
	var b strings.Builder
	for i := range kept {
		if kept[i].Raw == nil {
			b.WriteString(f.Transcript.Message(kept[i].Index).Text)
		} else if m, err := chat.ParseMessage(kept[i].Raw); err == nil {
			b.WriteString(m.Text())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// withoutNames is the text of the draft without an index.
func (d *Draft) withoutNames() string {
	s := *d.Summary
	s.Names = nil
	return s.Render(d.Room)
}

// tailRoom is what the target leaves for the messages behind the fold: what is kept
// up to the last possible frontier is the most that can stand beside the record.
func TailRoom(f *history.History, old *checkpoint.Checkpoint, k *Keeper) (int, error) {
	last := max(old.Fold, f.FoldTo(0))
	most, err := k.choose(old.Fold, last)
	if err != nil {
		return 0, err
	}
	room := f.Budget.Target - f.View.FixedRounded() - f.View.Instructions(last) - f.Policy.SummaryRoom(f.Budget)/4
	for i := range most {
		room -= most[i].Tokens
	}
	return room, nil
}

// prove renders the draft and holds it against the turns that it replaces: what is
// missing of them is added, and how much was there before is reported. With
// errCoverage it was too little.
func Verify(f *history.History, cp *checkpoint.Checkpoint, d *Draft, to int) error {
	if err := d.Render(f.Policy.Redact); err != nil {
		return err
	}
	if !f.Policy.Covers {
		return nil
	}
	cov := coverage(f, cp, d, to)
	cp.Probe = &compaction.Probe{Held: cov.Held, Of: cov.Of}
	if lines := cov.Repairs(d.Room.All - len(d.Text())); len(lines) > 0 {
		d.Summary.Repairs = lines
		cp.Probe.Repaired = len(lines)
		if err := d.Render(f.Policy.Redact); err != nil {
			return err
		}
	}
	if cp.Probe.Coverage() < f.Policy.LeastCoverage {
		return ErrCoverage
	}
	return nil
}

// render makes the record and checks the bytes that are to be sent.
func (d *Draft) Render(redact settings.Redaction) error {
	text := redact.Of(d.Summary.Render(d.Room))
	d.Raw = append(chat.AppendQuoted([]byte(`{"role":"user","content":`), text), '}')
	return CheckRecord(d.Raw)
}

// text is what the draft says.
func (d *Draft) Text() string {
	m, err := chat.ParseMessage(d.Raw)
	if err != nil {
		return ""
	}
	return m.Text()
}

// checkRecord holds the exact bytes of a record against what a record must be.
func CheckRecord(raw []byte) error {
	m, err := chat.ParseMessage(raw)
	if err != nil {
		return fmt.Errorf("checking a rendered record: %w", err)
	}
	text := m.Text()
	var faults []error
	if m.Role() != chat.User || !strings.HasPrefix(text, summary.Mark) {
		faults = append(faults, errors.New("it is not a user message that says what it is"))
	}
	for _, title := range []string{summary.TitleIntent, summary.TitleState, summary.TitleNext} {
		if !strings.Contains(text, "\n## "+title+"\n") {
			faults = append(faults, fmt.Errorf("the section %q is missing", title))
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("checking a rendered record: %w", errors.Join(faults...))
	}
	return nil
}

func (d *Draft) Count(c layout.Counter) error {
	record, err := chat.ParseMessage(d.Raw)
	if err != nil {
		return fmt.Errorf("counting a record: %w", err)
	}
	d.Tokens = c.Message(&record)
	return nil
}

// droppedBy adds what the new fold leaves out to what was left out before.
func droppedBy(f *history.History, cp *checkpoint.Checkpoint, kept []checkpoint.Kept) []compaction.Dropped {
	var dropped []compaction.Dropped
	if f.Form != nil {
		dropped = Without(slices.Clone(f.Form.Dropped), func(d compaction.Dropped) bool { return d.Kind == "tool_outputs" })
	}
	whole := map[int]bool{}
	for i := range kept {
		whole[kept[i].Index] = kept[i].Raw == nil
	}
	for i := f.Folded(); i < cp.Fold; i++ {
		if m := &f.View.Messages[i]; !m.Role().Instructs() && !whole[i] {
			dropped = checkpoint.AddFolded(dropped, m, f.View.Tokens[i])
		}
	}
	outputs := compaction.Dropped{Kind: "tool_outputs", Count: len(cp.Masks)}
	for i := range cp.Masks {
		outputs.Tokens += cp.Masks[i].Saved
	}
	return checkpoint.AddDropped(dropped, outputs)
}

func Without[T any](list []T, drop func(T) bool) []T { return slices.DeleteFunc(list, drop) }

// foldOption is what is expected of a fold.
func Option(f *history.History, folded *checkpoint.Checkpoint) plan.Option {
	fold := plan.Option{Outcome: plan.Fold, After: checkpoint.Size(f.View, folded, f.View.FixedRounded()), Rewritten: f.Rewritten(folded)}
	fold.Loss = f.Loss(func(yield func(int) bool) {
		for i := f.Folded(); i < folded.Fold; i++ {
			if !f.Masked(i) && !yield(i) {
				return
			}
		}
	}, fold.After)
	return fold
}
