package history

import (
	"bytes"
	"hash/maphash"
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/rawjson"
	"killick/transcript"
)

// An output that the agent fetches again after it was hidden was needed. The messages show this: a
// call that reads is made again, the output of the earlier one is hidden, and what it reads has not
// been written since.

// maxLookups is how many calls of one turn are searched for in the history, since each search
// covers all of it.
const maxLookups = 16

// maxWeighed is how many calls that may fetch something again are looked up for one decision.
const maxWeighed = 256

// Refetched returns how many calls of the newest turn fetch hidden outputs again: outputs that are
// folded, masked or truncated in the form that the model saw.
func Refetched(v *layout.View, cp *checkpoint.Checkpoint) (n int) {
	if cp == nil && len(v.Truncated) == 0 {
		return 0
	}
	from, known := v.Unanswered(), index(v)
	if !known.mayRepeat(from) {
		return 0 // mostly; their results need not be read
	}
	newest, hidden, read := v.Transcript(from).Calls, hiddenBy(v, cp), groupsOf(v)
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
// of a call. It does not hide a repeat of what it hides: that is sent whole, see [Filled].
func hiddenBy(v *layout.View, cp *checkpoint.Checkpoint) func(c *transcript.Call) bool {
	fold := folded(cp)
	return func(c *transcript.Call) bool {
		s, short := v.Truncated[c.Result]
		return c.Result >= 0 && (c.Caller < fold || short && !repeatsHidden(cp, s) ||
			masked(cp, c.Result))
	}
}

// missed returns the calls whose outputs the form cp, which may be nil, hides, by the hashes of
// their keys. If the agent makes one of them again, it fetches its output again. t has the calls
// after what is folded.
func missed(
	v *layout.View, cp *checkpoint.Checkpoint, t *transcript.Transcript,
) map[uint64]bool {
	missed, fold := map[uint64]bool{}, folded(cp)
	if fold > 0 {
		first := firstCalls(v)
		for i := range t.Calls {
			key := maphash.String(callSeed, t.Calls[i].Key())
			if at, ok := first[key]; ok && at < fold {
				missed[key] = true
			}
		}
	}
	add := func(message int) {
		if c := t.Answered(message); c >= 0 {
			missed[maphash.String(callSeed, t.Calls[c].Key())] = true
		}
	}
	if cp != nil {
		for i := range cp.Masks {
			add(cp.Masks[i].Index)
		}
	}
	for i := range v.Truncated {
		if i >= fold && i < len(v.Messages) { // the view may be of an earlier turn
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
// again in this conversation. It reports which of the calls fetched one again, nil if none can.
func weighRefetches(
	v *layout.View, cp *checkpoint.Checkpoint, t *transcript.Transcript, need []int,
) []bool {
	hashes := missed(v, cp, t)
	if len(hashes) == 0 {
		return nil
	}
	hidden, byTool := hiddenBy(v, cp), map[string]int{}
	again := make([]bool, len(t.Calls))
	repeated, weighed := repeats(v), 0
	for i := range slices.Backward(t.Calls) {
		c := &t.Calls[i]
		if !c.Inspects() || !hashes[maphash.String(callSeed, c.Key())] || hidden(c) {
			continue
		}
		if weighed++; weighed > maxWeighed {
			break
		}
		if repeated(c) {
			again[i] = true
			byTool[c.Name]++
		}
	}
	for i := range t.Calls {
		if n := byTool[t.Calls[i].Name]; n > 0 && need[i] > 0 {
			need[i] += min(n*refetchWeighs, maxRefetchWeight)
		}
	}
	return again
}

// repeatKey identifies a call: its result, and the hash of its key.
type repeatKey struct {
	result int
	key    uint64
}

// repeats returns a function that reports whether a call returned the same as the same call before
// it. Each call is compared once for all decisions of a request.
func repeats(v *layout.View) func(c *transcript.Call) bool {
	type key struct{}
	found := v.Once(key{}, func() any { return map[repeatKey]bool{} }).(map[repeatKey]bool)
	read, known := groupsOf(v), index(v)
	return func(c *transcript.Call) bool {
		of := repeatKey{c.Result, maphash.String(callSeed, c.Key())}
		again, compared := found[of]
		if !compared {
			again = same(v, c, read.lastOf(known, c, c.Caller))
			found[of] = again
		}
		return again
	}
}

// same reports whether a call returned what the same call before it did, or a stub. If not, it was
// made to see what is new, such as a price or a state, and not because the first output was hidden.
// Nor was it if a record shows all of that. Of calls that a script makes, it is not known which
// text each returned.
func same(v *layout.View, c, before *transcript.Call) bool {
	if before == nil || before.Result < 0 || c.Result < 0 {
		return false
	}
	if c.Via != nil {
		return true
	}
	if before.Via != nil {
		return false // the same text stood among others, if at all
	}
	first, again := v.Original(before.Result), v.Original(c.Result)
	if a, b := first.Content(), again.Content(); !c.Stub && a.Kind() == rawjson.String &&
		b.Kind() == rawjson.String && !bytes.Equal(a, b) {
		return false // a client escapes a text alike each time
	}
	text := first.Text()
	return len(text) > shownWhole && (c.Stub || again.Text() == text)
}

// shownWhole is the length in bytes up to which a record shows an output whole.
const shownWhole = 160

// folded returns how many messages the form cp replaces, which may be nil.
func folded(cp *checkpoint.Checkpoint) int {
	if cp == nil {
		return 0
	}
	return cp.Fold
}
