package fold

import (
	"fmt"
	"strings"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/summary"
	"killick/summary/describe"
	"killick/transcript"
)

// Replay collects the originals of what a fold up to message to hides, and returns a form without
// records from which the next fold can be replayed.
func Replay(h *history.History, to int, k *Keeper) (*checkpoint.Checkpoint, error) {
	old, err := OldOf(h)
	if err != nil {
		return nil, err
	}
	k.collecting = true
	// It collects what may have been cut, as if no room had been left and the fold had ended the
	// conversation. That all fits was checked at the fold.
	k.end = to
	_, _ = k.choose(0, to, k.budget.Window)
	bare := &checkpoint.Checkpoint{Fold: to}
	return bare.WithDetails(checkpoint.Details{
		Summary: &summary.Summary{Originals: keepFolded(h, old, to, k)},
	}), nil
}

// Listed returns the refs of a list that a fold made, nil for any other content.
func Listed(content []byte) (refs []string) {
	for line := range strings.Lines(string(content)) {
		name, ok := strings.CutPrefix(line, "ref=")
		ref, _, more := strings.Cut(name, " ")
		if !ok || !more {
			return nil
		}
		refs = append(refs, ref)
	}
	return refs
}

// keepFolded collects the outputs that a fold hides, and a list of them with their refs. It
// returns the ref of the list: a record shows only that one, since a ref for each output
// would cost too much. The list also has long messages of the assistant and of persons, which a
// record quotes in part. Outputs that were masked or truncated before are stored already; small
// ones are left out.
func keepFolded(h *history.History, old *Old, to int, k *Keeper) (list string) {
	var b strings.Builder
	masked := map[int]bool{}
	for i := range old.Masks {
		masked[old.Masks[i].Index] = true
	}
	for i := old.Fold; i < to; i++ {
		m := h.View.Original(i)
		if h.View.Tokens[i] < h.Policy.MinMaskTokens || h.View.Stays(i) {
			continue
		}
		whole, what := withHosted(h.Transcript, i), string(m.Role())
		if whole == "" {
			continue
		}
		if c := h.Transcript.Answered(i); c >= 0 {
			what = describe.Call(&h.Transcript.Calls[c], 200)
		}
		var ref string
		if s, truncated := h.View.Truncated[i]; truncated {
			ref = s.Ref
		} else {
			original := checkpoint.NewOriginal(whole, k.refOf)
			if ref = original.Ref; !masked[i] {
				k.keep(original)
			}
		}
		fmt.Fprintf(&b, "ref=%s message %d: %s\n", ref, i+1, what)
	}
	if b.Len() == 0 {
		return old.Summary.Originals
	}
	if earlier := old.Summary.Originals; earlier != "" {
		fmt.Fprintf(&b, "ref=%s earlier messages\n", earlier)
	}
	original := checkpoint.NewOriginal(b.String(), k.refOf)
	k.keep(original)
	return original.Ref
}

// withHosted returns the text of message i, with the calls in it that the provider ran and what
// they returned.
func withHosted(t *transcript.Transcript, i int) string {
	texts := []string{t.Text(i)}
	hosted := t.Hosted(i, i+1)
	for n := range hosted {
		c := &hosted[n]
		texts = append(texts, describe.Call(c, 200)+"\n"+t.Output(c, ""))
	}
	return strings.TrimPrefix(strings.Join(texts, "\n\n"), "\n\n")
}
