package history

import (
	"bytes"
	"slices"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/transcript"
)

// What the agent fetches again after it was hidden was needed after all. It can
// be told from the messages alone: a call that reads is made again, the one before
// it is hidden, and nothing has been written since to what it reads.

// mostLookedUp bounds how many calls of one turn are looked for in the history: each
// is a search of all of it.
const MostLookedUp = 16

// refetched returns how many calls of the newest turn fetch again what the form
// that the model saw before them hides: folded, masked or shortened outputs.
func Refetched(v *layout.View, cp *checkpoint.Checkpoint) (n int) {
	if cp == nil && len(v.Truncated) == 0 {
		return 0
	}
	from := v.Unanswered()
	newest := v.Transcript(from).Calls
	hidden := hiddenBy(v, cp)
	for i := range newest[:min(len(newest), MostLookedUp)] {
		if c := &newest[i]; c.Inspects() {
			if before := lastOf(v, c, from); before != nil && hidden(before) {
				n++
			}
		}
	}
	return n
}

// lastOf returns the last call before message from that is the same as c, with its
// result; nil if there is none, or if what it looks at was written since. It reads
// back only as far as it must.
func lastOf(v *layout.View, c *transcript.Call, from int) *transcript.Call {
	if !calledBefore(v, from, c) {
		return nil
	}
	for g := v.GroupAt(from) - 1; g >= 0; g-- {
		for i := v.Groups[g].End - 1; i >= v.Groups[g].Start; i-- {
			if v.Messages[i].Role() != chat.Assistant {
				continue
			}
			for _, made := range v.Messages[i].ToolCalls() {
				switch of := transcript.NewCall(made, i); {
				case of.Key() == c.Key():
					calls := transcript.Read(v.Originals(), v.Groups[g:g+1], v.Groups[g].Start).Calls
					return &calls[slices.IndexFunc(calls, func(k transcript.Call) bool { return k.Key() == c.Key() })]
				case of.Effect == transcript.Writes && sharePath(&of, c):
					return nil
				}
			}
		}
	}
	return nil
}

// sharePath reports whether two calls name the same file.
func sharePath(a, b *transcript.Call) bool {
	return slices.ContainsFunc(a.Paths, func(p transcript.Path) bool {
		return slices.ContainsFunc(b.Paths, func(q transcript.Path) bool { return p.Name == q.Name })
	})
}

// calledBefore is a quick look for the arguments of a call in the messages before
// from; clients send back what they were given.
func calledBefore(v *layout.View, from int, c *transcript.Call) bool {
	quoted := chat.AppendEscaped(nil, c.Raw)
	for i := range v.Messages[:from] {
		if m := &v.Messages[i]; m.Role() == chat.Assistant && (bytes.Contains(m.Raw, quoted) || bytes.Contains(m.Raw, []byte(c.Raw))) {
			return true
		}
	}
	return false
}

// hiddenBy tells of calls whether the form cp, nil for none, hides their outputs.
func hiddenBy(v *layout.View, cp *checkpoint.Checkpoint) func(c *transcript.Call) bool {
	fold, masked := 0, map[int]bool{}
	if cp != nil {
		fold = cp.Fold
		for i := range cp.Masks {
			masked[cp.Masks[i].Index] = true
		}
	}
	return func(c *transcript.Call) bool {
		_, short := v.Truncated[c.Result]
		return c.Result >= 0 && (c.Caller < fold || masked[c.Result] || short)
	}
}

// missed returns the calls, by their keys, whose outputs the form so far hides:
// where one of them stands behind, it was fetched again.
func (f *History) missed() map[string]bool {
	missed := map[string]bool{}
	for i := range f.View.Messages[:f.Folded()] {
		if m := &f.View.Messages[i]; m.Role() == chat.Assistant {
			for _, made := range m.ToolCalls() {
				if c := transcript.NewCall(made, i); c.Inspects() {
					missed[c.Key()] = true
				}
			}
		}
	}
	if f.Form != nil {
		for i := range f.Form.Masks {
			if c := f.Transcript.Answered(f.Form.Masks[i].Index); c >= 0 {
				missed[f.Transcript.Calls[c].Key()] = true
			}
		}
	}
	for i := range f.View.Truncated {
		if i >= len(f.View.Messages) {
			continue // the view is of an earlier turn
		}
		if c := f.Transcript.Answered(i); i >= f.Folded() && c >= 0 {
			missed[f.Transcript.Calls[c].Key()] = true
		}
	}
	return missed
}

const (
	// refetchWeighs is how much likelier each output of a tool is needed again for
	// every one that was fetched again, in thousandths, at most mostRefetchWeighs
	// in all.
	refetchWeighs     = 40
	mostRefetchWeighs = 200
)

// weighRefetches makes the outputs of tools whose outputs were fetched again in
// this conversation likelier to be needed.
func (f *History) weighRefetches() {
	missed := f.missed()
	if len(missed) == 0 {
		return
	}
	hidden, again := hiddenBy(f.View, f.Form), map[string]int{}
	f.Again = make([]bool, len(f.Transcript.Calls))
	for i := range f.Transcript.Calls {
		c := &f.Transcript.Calls[i]
		if c.Inspects() && missed[c.Key()] && !hidden(c) {
			f.Again[i] = true
			again[c.Name]++
		}
	}
	for i := range f.Transcript.Calls {
		if n := again[f.Transcript.Calls[i].Name]; n > 0 && f.Need[i] > 0 {
			f.Need[i] += min(n*refetchWeighs, mostRefetchWeighs)
		}
	}
}
