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

// fold returns the form of the request with the turns up to a new frontier
// replaced by a record: the new turns are summarised, merged into the summary so
// far, rendered, checked and probed.
func (f *frontier) fold(c Counter, prober Prober, handle func([]byte) string) (*Checkpoint, error) {
	old := Checkpoint{}
	if f.cp != nil {
		old = *f.cp
	}
	summary, pins := Summary{}, Pins{}
	if old.Summary != nil {
		summary, pins = *old.Summary, *old.Pins
	}
	mk := pinner{count: c.Text, handle: handle, maxTokens: f.policy.MaxPinTokens}
	chars := f.policy.summaryChars(f.budget)
	// What is pinned up to the last possible frontier is the most that the record
	// can hold beside its summary; the real record is counted below.
	most := pins.advance(f.v.msgs[old.Fold:max(old.Fold, f.foldTo(0))], mk)
	room := f.budget.Target - f.v.fixedSteady() - f.v.instructions(f.foldTo(0)) - chars/4 - pinTokens(&most, c)
	to := f.foldTo(room)
	if to == 0 {
		return nil, errNothingToFold
	}
	pins = pins.advance(f.v.msgs[old.Fold:to], mk)
	summary = merge(summary, extract(f.v, old.Fold, to))
	summary.Intent = intent(&pins)

	cp := &Checkpoint{Version: checkpointVersion, Fold: to, Covers: to, Pins: &pins, Summary: &summary}
	for _, m := range old.Masks {
		if m.Index >= to {
			cp.Masks = append(cp.Masks, m)
			cp.Covers = m.Index + 1
		}
	}
	if err := f.prove(cp, chars, prober); err != nil {
		return nil, err
	}
	record, err := chat.ParseMessage(cp.Record)
	if err != nil {
		return nil, fmt.Errorf("counting a record: %w", err)
	}
	cp.Tokens = c.Message(&record)
	cp.Dropped = f.droppedBy(cp)
	return cp, nil
}

// prove renders the record of cp, checks its bytes and probes it; what is
// missing is added word for word, and the record probed again.
func (f *frontier) prove(cp *Checkpoint, chars int, prober Prober) error {
	text, err := f.render(cp, chars)
	if err != nil || prober == nil {
		return err
	}
	examine := prober.Questions(f.replaced(cp.Fold))
	for repairs := 0; ; repairs++ {
		probe, missing := examine(text)
		probe.Repaired = repairs
		cp.Probe = &probe
		known := len(cp.Summary.Facts)
		facts := appendNew(cp.Summary.Facts[:known:known], oneLines(missing)...)
		if len(facts) > known && repairs < maxRepairs {
			cp.Summary.Facts = facts
			if text, err = f.render(cp, chars); err != nil {
				return err
			}
			continue
		}
		if probe.Verdict == HardFail {
			return errProbe
		}
		return nil
	}
}

// render makes the record of cp and checks the bytes that are to be sent; it
// returns their text.
func (f *frontier) render(cp *Checkpoint, chars int) (string, error) {
	cp.Record = renderRecord(cp.Fold, cp.Summary, cp.Pins, chars, f.policy.KeepSecrets)
	if err := cp.Summary.Validate(); err != nil {
		return "", err
	}
	if err := checkRecord(cp.Record, cp.Summary, cp.Pins, chars); err != nil {
		return "", err
	}
	record, err := chat.ParseMessage(cp.Record)
	return record.Text(), err
}

func oneLines(texts []string) (out []string) {
	for _, t := range texts {
		if t = oneLine(t, maxEntry); t != "" {
			out = append(out, t)
		}
	}
	return out
}

func pinTokens(p *Pins, c Counter) (n int) {
	for _, pin := range p.all() {
		n += c.Text(pin.text())
	}
	return n
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
	messages, parts := Dropped{Kind: "messages"}, Dropped{Kind: "parts"}
	for i := f.folded(); i < cp.Fold; i++ {
		m := &f.v.msgs[i]
		if m.Role().Instructs() {
			continue
		}
		messages.Count++
		messages.Tokens += f.v.tokens[i]
		for part := range m.Parts() {
			if part.Text == nil {
				parts.Count++
			}
		}
	}
	var dropped []Dropped
	if f.cp != nil {
		dropped = without(slices.Clone(f.cp.Dropped), func(d Dropped) bool { return d.Kind == "tool_outputs" })
	}
	dropped = addDropped(addDropped(dropped, messages), parts)
	outputs := Dropped{Kind: "tool_outputs", Count: len(cp.Masks)}
	for i := range cp.Masks {
		outputs.Tokens += cp.Masks[i].Saved
	}
	return addDropped(dropped, outputs)
}
