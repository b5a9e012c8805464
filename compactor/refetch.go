package compactor

import (
	"bytes"
	"slices"

	"killick/chat"
)

// What the agent fetches again after it was hidden was needed after all. It can
// be told from the messages alone: a call that reads is made again, the one before
// it is hidden, and nothing has been written since to what it reads.

// looks tells calls that are repeated to see something again. What runs or writes
// is repeated for what it does.
func (c *call) looks() bool { return c.kind == callReads || c.kind == callOther }

// mostLookedUp bounds how many calls of one turn are looked for in the history: each
// is a search of all of it.
const mostLookedUp = 16

// refetched returns how many calls of the newest turn fetch again what the form
// that the model saw before them hides: folded, masked or shortened outputs.
func (v *view) refetched(cp *Checkpoint) (n int) {
	if cp == nil && len(v.short) == 0 {
		return 0
	}
	from := v.unread()
	newest, _ := readCalls(v.msgs, v.groups[v.groupAt(from):])
	hidden := v.hiddenBy(cp)
	for i := range newest[:min(len(newest), mostLookedUp)] {
		if c := &newest[i]; c.looks() {
			if before := v.lastOf(c, from); before != nil && hidden(before) {
				n++
			}
		}
	}
	return n
}

// lastOf returns the last call before message from that is the same as c, with its
// result; nil if there is none, or if what it looks at was written since. It reads
// back only as far as it must.
func (v *view) lastOf(c *call, from int) *call {
	if !v.calledBefore(from, c) {
		return nil
	}
	for g := v.groupAt(from) - 1; g >= 0; g-- {
		for i := v.groups[g].End - 1; i >= v.groups[g].Start; i-- {
			if v.msgs[i].Role() != chat.Assistant {
				continue
			}
			for _, made := range v.msgs[i].ToolCalls() {
				switch of := newCall(made, i); {
				case of.key() == c.key():
					calls, _ := readCalls(v.msgs, v.groups[g:g+1])
					return &calls[slices.IndexFunc(calls, func(k call) bool { return k.key() == c.key() })]
				case of.kind == callWrites && slices.ContainsFunc(of.paths, func(p string) bool { return has(c.paths, p) }):
					return nil
				}
			}
		}
	}
	return nil
}

// calledBefore is a quick look for the arguments of a call in the messages before
// from; clients send back what they were given.
func (v *view) calledBefore(from int, c *call) bool {
	quoted := chat.AppendEscaped(nil, c.args)
	for i := range v.msgs[:from] {
		if m := &v.msgs[i]; m.Role() == chat.Assistant && (bytes.Contains(m.Raw, quoted) || bytes.Contains(m.Raw, []byte(c.args))) {
			return true
		}
	}
	return false
}

// hiddenBy tells of calls whether the form cp, nil for none, hides their outputs.
func (v *view) hiddenBy(cp *Checkpoint) func(c *call) bool {
	fold, masked := 0, map[int]bool{}
	if cp != nil {
		fold = cp.Fold
		for i := range cp.Masks {
			masked[cp.Masks[i].Index] = true
		}
	}
	return func(c *call) bool {
		_, short := v.short[c.result]
		return c.result >= 0 && (c.caller < fold || masked[c.result] || short)
	}
}

// missed returns the calls, by their keys, whose outputs the form so far hides:
// where one of them stands behind, it was fetched again.
func (f *frontier) missed() map[string]bool {
	missed := map[string]bool{}
	for i := range f.v.msgs[:f.folded()] {
		if m := &f.v.msgs[i]; m.Role() == chat.Assistant {
			for _, made := range m.ToolCalls() {
				if c := newCall(made, i); c.looks() {
					missed[c.key()] = true
				}
			}
		}
	}
	if f.cp != nil {
		for i := range f.cp.Masks {
			if c := f.answer[f.cp.Masks[i].Index]; c >= 0 {
				missed[f.calls[c].key()] = true
			}
		}
	}
	for i := range f.v.short {
		if i >= len(f.v.msgs) {
			continue // the view is of an earlier turn
		}
		if c := f.answer[i]; i >= f.folded() && c >= 0 {
			missed[f.calls[c].key()] = true
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
func (f *frontier) weighRefetches() {
	missed := f.missed()
	if len(missed) == 0 {
		return
	}
	hidden, again := f.v.hiddenBy(f.cp), map[string]int{}
	f.again = make([]bool, len(f.calls))
	for i := range f.calls {
		c := &f.calls[i]
		if c.looks() && missed[c.key()] && !hidden(c) {
			f.again[i] = true
			again[c.name]++
		}
	}
	for i := range f.calls {
		if n := again[f.calls[i].name]; n > 0 && f.need[i] > 0 {
			f.need[i] += min(n*refetchWeighs, mostRefetchWeighs)
		}
	}
}
