package compactor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/plan"
	"killick/summary"
)

// RendererVersion changes when the same conversation would be rendered to other
// bytes. It is part of what checkpoints are kept apart by.
const RendererVersion = "4"

// Why a fold is not used.
var (
	errNothingToFold = errors.New("nothing more can be folded")
	errNoGain        = errors.New("no worthwhile gain")
	errCoverage      = errors.New("the record holds too little of what it replaces")
)

// draft is a record in the making.
type draft struct {
	Record
	summary *summary.Summary // of the turns that this record tells of
	room    summary.Room
	before  string // the text of the records that stay before it

	originals []string // what the fold takes away
}

// fold returns the form of the request with the turns up to a new frontier
// replaced by a record: the new turns are read, added to the summary so far,
// rendered and checked. While the records are small, what is new is told in one of
// its own behind them, so that the provider's prompt cache keeps what stands before;
// then all are made one again.
//
// With errCoverage it returns what did not hold.
func (f *frontier) fold(c Counter, handle func([]byte) string) (*Checkpoint, *draft, error) {
	old := f.old()
	k := f.keeper(c, handle)
	room, err := f.tailRoom(&old, k)
	if err != nil {
		return nil, nil, err
	}
	to := f.foldTo(room)
	if to == 0 {
		return nil, nil, errNothingToFold
	}
	cp, d, err := f.compose(&old, to, k)
	if err != nil {
		return nil, nil, err
	}
	if err = f.prove(cp, d, to); err != nil && !errors.Is(err, errCoverage) {
		return nil, nil, err
	}
	if failed := d.count(c); failed != nil {
		return nil, nil, failed
	}
	cp.Records = append(cp.Records, d.Record)
	return cp, d, err
}

// keeper chooses what stays of the turns that are folded.
func (f *frontier) keeper(c Counter, handle func([]byte) string) *keeper {
	return &keeper{v: f.v, t: f.t, count: c, policy: &f.policy, budget: f.budget, handle: handle}
}

// old is the form so far, one that folds nothing if there is none.
func (f *frontier) old() Checkpoint {
	old := Checkpoint{Summary: &summary.Summary{}}
	if f.cp != nil && f.cp.Summary != nil {
		old = *f.cp
	} else if f.cp != nil {
		old.Masks = f.cp.Masks
	}
	return old
}

// source is the conversation as summaries read it.
func (f *frontier) source() *summary.Source {
	return &summary.Source{Transcript: f.t, Redact: f.policy.redact, Place: func(i int) int { return f.v.before[i] }}
}

// compose makes the form that folds the first to messages, and the draft of its
// last record.
func (f *frontier) compose(old *Checkpoint, to int, k *keeper) (*Checkpoint, *draft, error) {
	k.originals, k.collecting = nil, true
	src, calls := f.source(), f.t.CallsBefore(to)
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

	cp := &Checkpoint{Version: checkpointVersion, Fold: to, Covers: to, Summary: &all, Folds: append(slices.Clone(old.Folds), to)}
	for _, m := range old.Masks {
		if m.Index >= to {
			cp.Masks = append(cp.Masks, m)
			cp.Covers = m.Index + 1
		}
	}
	room := f.policy.summaryChars(f.budget)
	d := &draft{summary: &all, room: summary.Room{Summary: room, All: f.policy.SummaryChars}}
	d.room.Summary = min(room, max(d.room.All-bytesAToken*f.policy.indexTokens(f.budget), d.room.All/4))
	from := 0
	if len(old.Records) > 0 && tokensOf(old.Records)+room/4 <= f.policy.recordTokens(f.budget) {
		from = old.Fold
		d.summary, d.before = &newer, textOf(old.Records)
		d.room.Summary = min(d.room.Summary, f.policy.SummaryChars/4)
		cp.Records = slices.Clone(old.Records)
	}
	if d.Kept, err = k.choose(from, to); err != nil {
		return nil, nil, err
	}
	d.summary.FillWords(src, from, to, keptAs(d.Kept))
	if from > 0 {
		all.Kept = append(slices.Clone(old.Summary.Kept), newer.Kept...)
		all.Words = append(slices.Clone(newer.Words), old.Summary.Words...)
		all.WordsLeftOut = old.Summary.WordsLeftOut + newer.WordsLeftOut
	}
	all.Originals = f.keepFolded(old, to, k)
	d.summary.Originals = all.Originals
	if f.policy.IndexTokens > 0 {
		names := summary.Names(src, old.Names, calls, old.Fold, to)
		cp.Names = names.Encode()
		d.summary.Names = names.List(f.policy.indexTokens(f.budget), d.before+d.withoutNames()+f.textOfKept(cp.keptWith(d.Kept)))
	}
	cp.Dropped = f.droppedBy(cp, d.Kept)
	d.originals = k.originals
	return cp, d, nil
}

// bytesAToken is about how many bytes of an index a token takes, labels counted.
const bytesAToken = 4

// textOfKept is what the kept messages say.
func (f *frontier) textOfKept(kept []Kept) string {
	var b strings.Builder
	for i := range kept {
		if kept[i].Raw == nil {
			b.WriteString(f.t.Message(kept[i].Index).Text)
		} else if m, err := chat.ParseMessage(kept[i].Raw); err == nil {
			b.WriteString(m.Text())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// withoutNames is the text of the draft without an index.
func (d *draft) withoutNames() string {
	s := *d.summary
	s.Names = nil
	return s.Render(d.room)
}

// tailRoom is what the target leaves for the messages behind the fold: what is kept
// up to the last possible frontier is the most that can stand beside the record.
func (f *frontier) tailRoom(old *Checkpoint, k *keeper) (int, error) {
	last := max(old.Fold, f.foldTo(0))
	most, err := k.choose(old.Fold, last)
	if err != nil {
		return 0, err
	}
	room := f.budget.Target - f.v.fixedSteady() - f.v.instructions(last) - f.policy.summaryChars(f.budget)/4
	for i := range most {
		room -= most[i].Tokens
	}
	return room, nil
}

// prove renders the draft and holds it against the turns that it replaces: what is
// missing of them is added, and how much was there before is reported. With
// errCoverage it was too little.
func (f *frontier) prove(cp *Checkpoint, d *draft, to int) error {
	if err := d.render(f.policy.redact); err != nil {
		return err
	}
	if !f.policy.Covers {
		return nil
	}
	cov := f.coverage(cp, d, to)
	cp.Probe = &compaction.Probe{Held: cov.Held, Of: cov.Of}
	if lines := cov.repairs(d.room.All - len(d.text())); len(lines) > 0 {
		d.summary.Repairs = lines
		cp.Probe.Repaired = len(lines)
		if err := d.render(f.policy.redact); err != nil {
			return err
		}
	}
	if cp.Probe.Coverage() < f.policy.LeastCoverage {
		return errCoverage
	}
	return nil
}

// render makes the record and checks the bytes that are to be sent.
func (d *draft) render(redact redaction) error {
	text := redact.of(d.summary.Render(d.room))
	d.Raw = append(chat.AppendQuoted([]byte(`{"role":"user","content":`), text), '}')
	return checkRecord(d.Raw)
}

// text is what the draft says.
func (d *draft) text() string {
	m, err := chat.ParseMessage(d.Raw)
	if err != nil {
		return ""
	}
	return m.Text()
}

// checkRecord holds the exact bytes of a record against what a record must be.
func checkRecord(raw []byte) error {
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

func (d *draft) count(c Counter) error {
	record, err := chat.ParseMessage(d.Raw)
	if err != nil {
		return fmt.Errorf("counting a record: %w", err)
	}
	d.Tokens = c.Message(&record)
	return nil
}

// textOf is what the records say, as a model is shown it.
func textOf(records []Record) string {
	var b strings.Builder
	for i := range records {
		if m, err := chat.ParseMessage(records[i].Raw); err == nil {
			b.WriteString(m.Text() + "\n")
		}
	}
	return b.String()
}

// droppedBy adds what the new fold leaves out to what was left out before.
func (f *frontier) droppedBy(cp *Checkpoint, kept []Kept) []compaction.Dropped {
	var dropped []compaction.Dropped
	if f.cp != nil {
		dropped = without(slices.Clone(f.cp.Dropped), func(d compaction.Dropped) bool { return d.Kind == "tool_outputs" })
	}
	whole := map[int]bool{}
	for i := range kept {
		whole[kept[i].Index] = kept[i].Raw == nil
	}
	for i := f.folded(); i < cp.Fold; i++ {
		if m := &f.v.msgs[i]; !m.Role().Instructs() && !whole[i] {
			dropped = addFolded(dropped, m, f.v.tokens[i])
		}
	}
	outputs := compaction.Dropped{Kind: "tool_outputs", Count: len(cp.Masks)}
	for i := range cp.Masks {
		outputs.Tokens += cp.Masks[i].Saved
	}
	return addDropped(dropped, outputs)
}

func without[T any](list []T, drop func(T) bool) []T { return slices.DeleteFunc(list, drop) }

// foldOption is what is expected of a fold.
func (f *frontier) foldOption(folded *Checkpoint) plan.Option {
	fold := plan.Option{Outcome: plan.Fold, After: f.v.size(folded, f.v.fixedSteady()), Rewritten: f.rewritten(folded)}
	fold.Loss = f.loss(func(yield func(int) bool) {
		for i := f.folded(); i < folded.Fold; i++ {
			if !f.masked(i) && !yield(i) {
				return
			}
		}
	}, fold.After)
	return fold
}
