package history

import (
	"hash/maphash"
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/transcript"
)

// An output that the agent fetches again after it was hidden was needed. The messages show this: a
// call that reads is made again, the output of the earlier one is hidden, and what it reads has not
// been written since.

// maxLookups is how many calls of one turn are searched for in the history, since each search
// covers all of it.
const maxLookups = 16

// Refetched returns how many calls of the newest turn fetch hidden outputs again: outputs that are
// folded, masked or truncated in the form that the model saw.
func Refetched(v *layout.View, cp *checkpoint.Checkpoint) (n int) {
	if cp == nil && len(v.Truncated) == 0 {
		return 0
	}
	from := v.Unanswered()
	newest := v.Transcript(from).Calls
	if len(newest) == 0 {
		return 0
	}
	hidden, known, read := hiddenBy(v, cp), index(v), groupsOf(v)
	for i := range newest[:min(len(newest), maxLookups)] {
		if c := &newest[i]; c.Inspects() {
			if before := read.lastOf(known, c, from); before != nil && hidden(before) {
				n++
			}
		}
	}
	return n
}

// lastOf returns the last call before message from that is the same as c, with its result; nil if
// there is none, or if a file that it reads was written since. It searches back only as far as
// necessary.
func (g groups) lastOf(known calls, c *transcript.Call, from int) *transcript.Call {
	wanted := indexed(c)
	files := make(map[uint64]bool, len(wanted.paths))
	for _, p := range wanted.paths {
		files[p] = true
	}
	for of := range known.last(from) {
		switch {
		case of.key == wanted.key:
			for _, made := range g.calls(of.message) {
				if made.Key() == c.Key() {
					return &made
				}
			}
		case of.writes && slices.ContainsFunc(of.paths, func(p uint64) bool { return files[p] }):
			return nil
		}
	}
	return nil
}

// hiddenBy returns a function that reports whether the form cp, which may be nil, hides the output
// of a call.
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

// missed returns the calls whose outputs the form so far hides, by the hashes of their keys. If the
// agent makes one of them again, it fetches its output again.
func (f *History) missed() map[uint64]bool {
	missed := map[uint64]bool{}
	if f.Folded() > 0 {
		first := firstCalls(f.View)
		for i := range f.Transcript.Calls {
			key := maphash.String(callSeed, f.Transcript.Calls[i].Key())
			if at, ok := first[key]; ok && at < f.Folded() {
				missed[key] = true
			}
		}
	}
	add := func(message int) {
		if c := f.Transcript.Answered(message); c >= 0 {
			missed[maphash.String(callSeed, f.Transcript.Calls[c].Key())] = true
		}
	}
	if f.Form != nil {
		for i := range f.Form.Masks {
			add(f.Form.Masks[i].Index)
		}
	}
	for i := range f.View.Truncated {
		if i >= f.Folded() && i < len(f.View.Messages) { // the view may be of an earlier turn
			add(i)
		}
	}
	return missed
}

// firstCalls returns the first message that makes each call, by the hash of the call's key. It has
// only calls that inspect something.
func firstCalls(v *layout.View) map[uint64]int {
	type key struct{}
	return v.Once(key{}, func() any {
		first := map[uint64]int{}
		for _, k := range index(v).all.Items() {
			if _, ok := first[k.key]; k.inspects && !ok {
				first[k.key] = k.message
			}
		}
		return first
	}).(map[uint64]int)
}

const (
	// refetchWeighs is added to the chance that outputs of a tool are needed, in thousandths, for
	// each of its outputs that was fetched again; at most maxRefetchWeight is added in total.
	refetchWeighs    = 40
	maxRefetchWeight = 200
)

// weighRefetches raises the chance of being needed for outputs of tools whose outputs were fetched
// again in this conversation.
func (f *History) weighRefetches() {
	missed := f.missed()
	if len(missed) == 0 {
		return
	}
	hidden, again := hiddenBy(f.View, f.Form), map[string]int{}
	f.Again = make([]bool, len(f.Transcript.Calls))
	for i := range f.Transcript.Calls {
		c := &f.Transcript.Calls[i]
		if c.Inspects() && missed[maphash.String(callSeed, c.Key())] && !hidden(c) {
			f.Again[i] = true
			again[c.Name]++
		}
	}
	for i := range f.Transcript.Calls {
		if n := again[f.Transcript.Calls[i].Name]; n > 0 && f.Need[i] > 0 {
			f.Need[i] += min(n*refetchWeighs, maxRefetchWeight)
		}
	}
}
