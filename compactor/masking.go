package compactor

import (
	"slices"

	"killick/chat"
)

// maskedMessage is an output with its placeholder, priced.
type maskedMessage struct {
	Mask
	original string
}

// maskOutputs returns the form so far with more outputs masked, stalest first,
// until the request fits the target, and the size it then has. It returns nil
// when no output can be masked with a gain.
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
	cp.Dropped = addDropped(cp.Dropped, Dropped{Kind: "tool_outputs", Count: len(hidden), Tokens: saved})
	return cp, size, hidden
}

func (f *frontier) maskOne(i int, c Counter, handle func([]byte) string) (maskedMessage, bool) {
	m := &f.v.msgs[i]
	original := m.Text()
	text := placeholder(original, f.v.tokens[i], &f.calls[f.answer[i]], handle([]byte(original)))
	raw := masked(m, text)
	if len(raw) >= len(m.Raw) {
		return maskedMessage{}, false
	}
	short, err := chat.ParseMessage(raw)
	if err != nil {
		return maskedMessage{}, false
	}
	tokens := c.Message(&short)
	if saved := f.v.tokens[i] - tokens; saved > 0 {
		return maskedMessage{Mask{Index: i, Text: text, Tokens: tokens, Saved: saved}, original}, true
	}
	return maskedMessage{}, false
}

func addDropped(list []Dropped, d Dropped) []Dropped {
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
