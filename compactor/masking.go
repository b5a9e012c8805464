package compactor

import (
	"slices"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/plan"
)

// maskedMessage is an output with its placeholder, priced.
type maskedMessage struct {
	Mask
	original string // "" where the door has kept it
}

// maskOutputs returns the form so far with more outputs masked, those least
// likely to be needed first, until the request fits the target, and the size that
// it then has. It returns nil when no output can be masked with a gain.
func (f *frontier) maskOutputs(c Counter, handle func([]byte) string) (cp *Checkpoint, size int, hidden []maskedMessage) {
	size = f.v.size(f.cp, f.v.fixedSteady())
	for _, i := range f.maskable() {
		if size <= f.budget.Target {
			break
		}
		if m, ok := f.maskOne(i, c, handle); ok {
			hidden = append(hidden, m)
			size -= m.Saved
		}
	}
	if len(hidden) == 0 {
		return nil, size, nil
	}
	cp = &Checkpoint{Version: checkpointVersion}
	if f.cp != nil {
		*cp = *f.cp
	}
	cp.Masks = slices.Clone(cp.Masks)
	saved := 0
	for _, m := range hidden {
		cp.Masks = append(cp.Masks, m.Mask)
		saved += m.Saved
	}
	slices.SortFunc(cp.Masks, func(a, b Mask) int { return a.Index - b.Index })
	cp.Covers = max(cp.Covers, cp.Masks[len(cp.Masks)-1].Index+1)
	cp.Dropped = addDropped(cp.Dropped, compaction.Dropped{Kind: "tool_outputs", Count: len(hidden), Tokens: saved})
	return cp, size, hidden
}

// masksMayReach tells whether masks could bring a form of size down to the target
// if they took no tokens themselves. Where they could not, a fold is made, and they
// need not be written.
func (f *frontier) masksMayReach(size int) bool {
	for _, i := range f.maskable() {
		size -= f.v.tokens[i]
	}
	return size <= f.budget.Target
}

func (f *frontier) maskOne(i int, c Counter, handle func([]byte) string) (maskedMessage, bool) {
	m := &f.v.msgs[i]
	original, tokens := m.Text(), f.v.tokens[i]
	ref := handle([]byte(original))
	s, short := f.v.short[i]
	if short {
		ref, tokens = s.handle, s.original
	}
	text := f.policy.redact.of(placeholder(f.policy.redact.of(original), tokens, &f.t.Calls[f.t.Answered(i)], ref))
	raw := masked(m, text)
	if len(raw) >= len(m.Raw) {
		return maskedMessage{}, false
	}
	form, err := chat.ParseMessage(raw)
	if err != nil {
		return maskedMessage{}, false
	}
	left := c.Message(&form)
	saved := f.v.tokens[i] - left
	if short {
		original = ""
	}
	return maskedMessage{Mask{Index: i, Text: text, Tokens: left, Saved: saved}, original}, saved > 0
}

// originals are what of the hidden outputs is still to be kept.
func originals(hidden []maskedMessage) (list []string) {
	for i := range hidden {
		if hidden[i].original != "" {
			list = append(list, hidden[i].original)
		}
	}
	return list
}

// shortened counts what stands in its short form in the tail of cp.
func (v *view) shortened(cp *Checkpoint) compaction.Dropped {
	d := compaction.Dropped{Kind: "shortened_outputs"}
	for i, s := range v.short {
		if cp == nil || i >= cp.Fold {
			d.Count++
			d.Tokens += s.original - s.tokens
		}
	}
	return d
}

func addDropped(list []compaction.Dropped, d compaction.Dropped) []compaction.Dropped {
	if d.Count == 0 {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		if list[i].Kind == d.Kind {
			list[i].Count += d.Count
			list[i].Tokens += d.Tokens
			return list
		}
	}
	return append(list, d)
}

// maskOption returns the form with more outputs masked, what is expected of it, and
// what it hides; nil if no output can be masked with a gain.
func (f *frontier) maskOption(c Counter, handle func([]byte) string) (*Checkpoint, plan.Option, []string) {
	form, after, hidden := f.maskOutputs(c, handle)
	if form == nil {
		return nil, plan.Option{}, nil
	}
	o := plan.Option{Outcome: plan.Mask, After: after, Rewritten: f.rewritten(form)}
	o.Loss = f.loss(func(yield func(int) bool) {
		for i := range hidden {
			if !yield(hidden[i].Index) {
				return
			}
		}
	}, after)
	return form, o, originals(hidden)
}
