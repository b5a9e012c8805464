package mask

import (
	"slices"

	"killick/compaction"
	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/compactor/plan"
)

// hidden is an output that is to be masked.
type hidden struct {
	checkpoint.Mask
	original checkpoint.Original // without content if it was stored when it was truncated
}

// Outputs returns the form so far with more outputs masked, those least likely to be needed first,
// until the request fits the target. It also returns the new size and the masked outputs. cp is nil
// if no output can be masked with a gain.
func Outputs(
	h *history.History, c layout.Counter, refOf func([]byte) string,
) (cp *checkpoint.Checkpoint, size int, outputs []hidden) {
	size = checkpoint.Size(h.View, h.Form, h.View.PreambleRounded())
	for _, i := range h.Maskable() {
		if size <= h.Budget.Target {
			break
		}
		if one, ok := mask(h, i, c, refOf); ok {
			outputs = append(outputs, one)
			size -= one.Saved
		}
	}
	if len(outputs) == 0 {
		return nil, size, nil
	}
	cp = &checkpoint.Checkpoint{}
	if h.Form != nil {
		*cp = *h.Form
	}
	cp.At = len(h.View.Messages)
	cp.DropSigned(cp.At)
	cp.Masks = slices.Clone(cp.Masks)
	saved := 0
	for _, m := range outputs {
		cp.Masks = append(cp.Masks, m.Mask)
		saved += m.Saved
	}
	slices.SortFunc(cp.Masks, func(a, b checkpoint.Mask) int { return a.Index - b.Index })
	cp.Covers = max(cp.Covers, cp.Masks[len(cp.Masks)-1].Index+1)
	cp.Dropped = checkpoint.AddDropped(cp.Dropped, compaction.Dropped{
		Kind: "tool_outputs", Count: len(outputs), Tokens: saved,
	})
	return cp, size, outputs
}

// Reach reports whether masks bring a form of this size down to the target. It writes placeholders
// only until that is known. If they do not, a fold is needed.
func Reach(h *history.History, size int, c layout.Counter, refOf func([]byte) string) bool {
	outputs, rest := h.Maskable(), 0
	for _, i := range outputs {
		rest += h.View.Tokens[i]
	}
	if size-rest > h.Budget.Target {
		return false
	}
	size = checkpoint.Size(h.View, h.Form, h.View.PreambleRounded()) // as for Outputs
	for _, i := range outputs {
		if size <= h.Budget.Target || size-rest > h.Budget.Target {
			break
		}
		rest -= h.View.Tokens[i]
		if one, ok := mask(h, i, c, refOf); ok {
			size -= one.Saved
		}
	}
	return size <= h.Budget.Target
}

// maskKey is the key of a masked output that is kept for all decisions of a request.
type maskKey struct{ index int }

// mask returns output i with its placeholder, and false if that saves nothing.
func mask(
	h *history.History, i int, c layout.Counter, refOf func([]byte) string,
) (hidden, bool) {
	one := h.View.Once(maskKey{i}, func() any { return masked(h, i, c, refOf) }).(hidden)
	return one, one.Saved > 0
}

// masked returns output i with its placeholder. Saved is 0 if the placeholder is not shorter.
func masked(
	h *history.History, i int, c layout.Counter, refOf func([]byte) string,
) hidden {
	m := &h.View.Messages[i]
	var ref string
	var original checkpoint.Original
	tokens := h.View.Tokens[i]
	text := h.Transcript.Text(i) // whole: what we wrote into a truncated one is not its own
	if s, truncated := h.View.Truncated[i]; truncated {
		ref, tokens = s.Ref, s.Original
	} else {
		original = checkpoint.NewOriginal(text, refOf)
		ref = original.Ref
	}
	call := &h.Transcript.Calls[h.Transcript.Answered(i)]
	redact := h.Policy.Redact
	// Names and key lines are those of what the call printed, if that is known, without frames.
	if printed := h.Transcript.Output(call, text); printed != "" {
		text = printed
	}
	text = redact.Of(placeholder(redact.Of(text), tokens, call, ref, h.Policy.Expand))
	raw := checkpoint.Masked(m, text)
	if len(raw) >= len(m.Raw) {
		return hidden{}
	}
	form, err := h.View.Parse(raw)
	if err != nil {
		return hidden{}
	}
	left := c.Message(&form)
	saved := h.View.Tokens[i] - left
	return hidden{checkpoint.Mask{Index: i, Text: text, Tokens: left, Saved: saved}, original}
}

// originals returns the originals of the outputs that are not stored yet.
func originals(outputs []hidden) (list []checkpoint.Original) {
	for i := range outputs {
		if len(outputs[i].original.Content) > 0 {
			list = append(list, outputs[i].original)
		}
	}
	return list
}

// Make returns the form with more outputs masked, its size and expected cost, and the originals of
// what it hides. The form is nil if no output can be masked with a gain.
func Make(
	h *history.History, c layout.Counter, refOf func([]byte) string,
) (*checkpoint.Checkpoint, plan.Option, []checkpoint.Original) {
	form, after, outputs := Outputs(h, c, refOf)
	if form == nil {
		return nil, plan.Option{}, nil
	}
	o := plan.Option{Outcome: plan.Mask, After: after, Rewritten: h.Rewritten(form)}
	o.Loss = h.Loss(func(yield func(int) bool) {
		for i := range outputs {
			if !yield(outputs[i].Index) {
				return
			}
		}
	}, after)
	return form, o, originals(outputs)
}
