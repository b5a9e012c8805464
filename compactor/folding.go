package compactor

import (
	"errors"
	"fmt"
	"slices"

	"killick/chat"
)

// Why a fold is not used.
var (
	errNothingToFold = errors.New("nothing more can be folded")
	errNoGain        = errors.New("no worthwhile gain")
	errProbe         = errors.New("the summary did not hold what it replaced")
)

// maxRepairs bounds how often a summary that fails its probe is mended and
// probed again.
const maxRepairs = 2

// draft is a record in the making: what it tells and of how many messages.
type draft struct {
	Record
	folded  int
	summary *Summary
	found   *extraction // in the turns that the form so far leaves
	account *Account    // what models told of them; nil: by rules alone
	pins    *Pins
	room    int    // bytes of the rendered summary
	before  string // the text of the records that stay before it
	text    string
}

// fold returns the form of the request with the turns up to a new frontier
// replaced by a record, and the draft of it: the new turns are summarised, merged
// into the summary so far, rendered, checked and probed. While the records are
// small, what is new is told in one of its own behind them, so that the provider's
// prompt cache keeps what stands before; then all are made one again.
//
// With errProbe it returns what did not hold, with its probe.
func (f *frontier) fold(c Counter, prober Prober, handle func([]byte) string) (*Checkpoint, *draft, error) {
	old := f.old()
	mk := f.pinner(c, handle)
	to := f.foldTo(f.tailRoom(&old, mk, f.policy.summaryChars(f.budget)))
	if to == 0 {
		return nil, nil, errNothingToFold
	}
	cp, d := f.compose(&old, to, extract(f.v, f.callsUpTo(to), old.Fold, to), mk)
	probe, err := f.prove(d, to, prober)
	if err != nil {
		cp.Probe = probe
		return cp, d, err
	}
	return cp, d, f.seal(cp, d, probe, c)
}

// pinner makes the pins of the turns behind the form so far.
func (f *frontier) pinner(c Counter, handle func([]byte) string) pinner {
	mk := pinner{count: c.Text, handle: handle, maxTokens: f.policy.MaxPinTokens, redact: f.policy.redactPins(), rules: f.policy.pins}
	from := f.folded()
	mk.call = func(i int) *call {
		if c := f.answer[from+i]; c >= 0 {
			return &f.calls[c]
		}
		return nil
	}
	return mk
}

// old is the form so far, one that folds nothing if there is none.
func (f *frontier) old() Checkpoint {
	old := Checkpoint{Summary: &Summary{}, Pins: &Pins{}}
	if f.cp != nil && f.cp.Summary != nil {
		old = *f.cp
	} else if f.cp != nil {
		old.Masks = f.cp.Masks
	}
	return old
}

// compose makes the form that folds the first to messages, and the draft of its
// last record, of what was found in the turns that the form so far leaves.
func (f *frontier) compose(old *Checkpoint, to int, found extraction, mk pinner) (*Checkpoint, *draft) {
	room := f.policy.summaryChars(f.budget)
	f.gone, mk.keep = nil, f.keep
	pins, summary := old.Pins.advance(f.v.msgs[old.Fold:to], mk), merge(*old.Summary, found)
	summary.Rules = f.policy.redactPins().rules(summary.Rules)
	summary.Intent = intent(&pins)
	summary.Originals = f.keepFolded(old, to, mk)
	cp := &Checkpoint{Version: checkpointVersion, Fold: to, Covers: to, Pins: &pins, Summary: &summary}
	cp.Folds = append(slices.Clone(old.Folds), to)
	names := f.names(old, cp)
	for _, m := range old.Masks {
		if m.Index >= to {
			cp.Masks = append(cp.Masks, m)
			cp.Covers = m.Index + 1
		}
	}
	d := &draft{folded: to, summary: &summary, pins: &pins, room: room}
	if len(old.Records) > 0 && tokensOf(old.Records)+room/4 <= f.policy.recordTokens(f.budget) {
		d = f.continuation(old, to, found, mk)
		d.summary.Originals = summary.Originals
		cp.Records = slices.Clone(old.Records)
	}
	d.summary.Names = names.list(f.policy.indexTokens(f.budget), d.told())
	d.found, cp.Account = &found, old.Account.and(nil, &found)
	cp.Dropped = f.droppedBy(cp)
	return cp, d
}

// seal puts the proven draft into its form.
func (f *frontier) seal(cp *Checkpoint, d *draft, probe *Probe, c Counter) error {
	cp.Summary.Facts = addFacts(cp.Summary.Facts, d.summary.Facts...)
	cp.Probe = probe
	if err := d.count(c); err != nil {
		return err
	}
	cp.Records = append(cp.Records, d.Record)
	return nil
}

// told is the text that the draft would be sent in, without an index.
func (d *draft) told() []byte {
	s := *d.summary
	s.Names = nil
	return append(renderRecord(0, &s, d.pins, d.room, nil, d.account), d.before...)
}

// with returns the draft with what models told beside what the rules found, behind
// records that say before. What is told need not stand in the index.
func (d *draft) with(a *Account, before string) *draft {
	full, summary := *d, *d.summary
	full.account, full.summary, full.before = a, &summary, before
	if a.empty() {
		return &full
	}
	told := map[string]bool{}
	eachRef(unescaped(full.told()), func(word string, _ refKind) { told[word] = true })
	summary.Names = without(slices.Clone(summary.Names), func(n Name) bool { return told[n.Word] })
	return &full
}

// tailRoom is what the target leaves for the messages behind the fold: the
// pinned messages up to the last possible frontier are the most that the record
// can hold beside its summary.
func (f *frontier) tailRoom(old *Checkpoint, mk pinner, room int) int {
	last := max(old.Fold, f.foldTo(0))
	most := old.Pins.advance(f.v.msgs[old.Fold:last], mk)
	for _, pin := range most.all() {
		room += 4 * mk.count(pin.text())
	}
	return f.budget.Target - f.v.fixedSteady() - f.v.instructions(last) - room/4
}

// continuation is the draft of a record that tells of the turns [old.Fold, to)
// alone, behind the records that stand.
func (f *frontier) continuation(old *Checkpoint, to int, found extraction, mk pinner) *draft {
	pins := Pins{Task: old.Pins.Task, Opened: true}.advance(f.v.msgs[old.Fold:to], mk)
	if !old.Pins.Task.empty() {
		pins.Task = Pin{} // the first record holds it
	}
	summary := merge(Summary{}, found)
	summary.Rules = f.policy.redactPins().rules(summary.Rules)
	summary.Intent = intent(&pins)
	d := &draft{folded: to - old.Fold, summary: &summary, pins: &pins, room: min(f.policy.summaryChars(f.budget), f.policy.SummaryChars/4)}
	d.before = textOf(old.plain().Records)
	return d
}

// prove renders the draft, checks its bytes and probes it, together with the
// records before it, with the first to messages. What is missing is added word for
// word, and the whole probed again.
func (f *frontier) prove(d *draft, to int, prober Prober) (*Probe, error) {
	if err := d.render(f.policy.redact); err != nil || prober == nil {
		return nil, err
	}
	examine := f.examination(to, prober)
	for repairs := 0; ; repairs++ {
		probe, missing := examine(d.before + d.text)
		probe.Repaired = repairs
		facts := addFacts(d.summary.Facts, oneLines(missing)...)
		if !slices.Equal(facts, d.summary.Facts) && repairs < maxRepairs {
			d.summary.Facts = facts
			if err := d.render(f.policy.redact); err != nil {
				return nil, err
			}
			continue
		}
		if probe.Verdict == HardFail {
			return &probe, errProbe
		}
		return &probe, nil
	}
}

// examination is what the record in place of the first to messages is probed by.
// To draw its questions costs much: they are drawn once.
func (f *frontier) examination(to int, prober Prober) func(string) (Probe, []string) {
	if f.examine == nil || f.examined != to {
		f.examine, f.examined = prober.Questions(f.replaced(to)), to
	}
	return f.examine
}

// render makes the record and checks the bytes that are to be sent.
func (d *draft) render(redact redaction) error {
	d.Raw = renderRecord(d.folded, d.summary, d.pins, d.room, redact, d.account)
	if err := errors.Join(d.summary.Validate(), d.account.validate()); err != nil {
		return err
	}
	if err := checkRecord(d.Raw, d.summary, d.pins, d.room, d.account); err != nil {
		return err
	}
	record, err := chat.ParseMessage(d.Raw)
	d.text = record.Text()
	return err
}

func (d *draft) count(c Counter) error {
	record, err := chat.ParseMessage(d.Raw)
	if err != nil {
		return fmt.Errorf("counting a record: %w", err)
	}
	d.Tokens = c.Message(&record)
	return nil
}

func oneLines(texts []string) (out []string) {
	for _, t := range texts {
		if t = oneLine(t, maxEntry); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// maxProbed bounds what a probe reads: the newest of the replaced messages, in
// bytes. Task, latest request and rules of older ones are checked in any case.
const maxProbed = 1 << 20

// replaced returns the messages that a record in place of the first n is probed
// with.
func (f *frontier) replaced(n int) []chat.Message {
	size, from := 0, n
	for from > 0 && size+len(f.v.msgs[from-1].Raw) <= maxProbed {
		from--
		size += len(f.v.msgs[from].Raw)
	}
	return f.v.msgs[from:n]
}

// droppedBy adds what the new fold leaves out to what was left out before.
func (f *frontier) droppedBy(cp *Checkpoint) []Dropped {
	var dropped []Dropped
	if f.cp != nil {
		dropped = without(slices.Clone(f.cp.Dropped), func(d Dropped) bool { return d.Kind == "tool_outputs" })
	}
	for i := f.folded(); i < cp.Fold; i++ {
		if m := &f.v.msgs[i]; !m.Role().Instructs() {
			dropped = addFolded(dropped, m, f.v.tokens[i])
		}
	}
	outputs := Dropped{Kind: "tool_outputs", Count: len(cp.Masks)}
	for i := range cp.Masks {
		outputs.Tokens += cp.Masks[i].Saved
	}
	return addDropped(dropped, outputs)
}
