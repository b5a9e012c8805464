package mask

import (
	"slices"

	"killick/chat"
	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
)

// maskedMessage is an output with its placeholder, priced.
type maskedMessage struct {
	checkpoint.Mask
	original string // "" where the door has kept it
}

// maskOutputs returns the form so far with more outputs masked, those least
// likely to be needed first, until the request fits the target, and the size that
// it then has. It returns nil when no output can be masked with a gain.
func Outputs(f *history.History, c layout.Counter, handle func([]byte) string) (cp *checkpoint.Checkpoint, size int, hidden []maskedMessage) {
	size = checkpoint.Size(f.View, f.Form, f.View.FixedRounded())
	for _, i := range f.Maskable() {
		if size <= f.Budget.Target {
			break
		}
		if m, ok := maskOne(f, i, c, handle); ok {
			hidden = append(hidden, m)
			size -= m.Saved
		}
	}
	if len(hidden) == 0 {
		return nil, size, nil
	}
	cp = &checkpoint.Checkpoint{Version: checkpoint.Version}
	if f.Form != nil {
		*cp = *f.Form
	}
	cp.Masks = slices.Clone(cp.Masks)
	saved := 0
	for _, m := range hidden {
		cp.Masks = append(cp.Masks, m.Mask)
		saved += m.Saved
	}
	slices.SortFunc(cp.Masks, func(a, b checkpoint.Mask) int { return a.Index - b.Index })
	cp.Covers = max(cp.Covers, cp.Masks[len(cp.Masks)-1].Index+1)
	cp.Dropped = checkpoint.AddDropped(cp.Dropped, compaction.Dropped{Kind: "tool_outputs", Count: len(hidden), Tokens: saved})
	return cp, size, hidden
}

// masksMayReach tells whether masks could bring a form of size down to the target
// if they took no tokens themselves. Where they could not, a fold is made, and they
// need not be written.
func MayReach(f *history.History, size int) bool {
	for _, i := range f.Maskable() {
		size -= f.View.Tokens[i]
	}
	return size <= f.Budget.Target
}

func maskOne(f *history.History, i int, c layout.Counter, handle func([]byte) string) (maskedMessage, bool) {
	m := &f.View.Messages[i]
	original, tokens := m.Text(), f.View.Tokens[i]
	ref := handle([]byte(original))
	s, short := f.View.Truncated[i]
	if short {
		ref, tokens = s.Handle, s.Original
	}
	text := f.Policy.Redact.Of(Placeholder(f.Policy.Redact.Of(original), tokens, &f.Transcript.Calls[f.Transcript.Answered(i)], ref))
	raw := checkpoint.Masked(m, text)
	if len(raw) >= len(m.Raw) {
		return maskedMessage{}, false
	}
	form, err := chat.ParseMessage(raw)
	if err != nil {
		return maskedMessage{}, false
	}
	left := c.Message(&form)
	saved := f.View.Tokens[i] - left
	if short {
		original = ""
	}
	return maskedMessage{checkpoint.Mask{Index: i, Text: text, Tokens: left, Saved: saved}, original}, saved > 0
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

// maskOption returns the form with more outputs masked, what is expected of it, and
// what it hides; nil if no output can be masked with a gain.
func Make(f *history.History, c layout.Counter, handle func([]byte) string) (*checkpoint.Checkpoint, plan.Option, []string) {
	form, after, hidden := Outputs(f, c, handle)
	if form == nil {
		return nil, plan.Option{}, nil
	}
	o := plan.Option{Outcome: plan.Mask, After: after, Rewritten: f.Rewritten(form)}
	o.Loss = f.Loss(func(yield func(int) bool) {
		for i := range hidden {
			if !yield(hidden[i].Index) {
				return
			}
		}
	}, after)
	return form, o, originals(hidden)
}
