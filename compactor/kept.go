package compactor

import (
	"slices"

	"killick/chat"
)

// Kept is an output of the folded turns that stays whole in the record: part of
// what the agent is working on, which it would have to fetch again.
type Kept struct {
	Of      string `json:"of"`   // the call that made it
	Path    string `json:"path"` // the file that it shows
	Body    []byte `json:"body"` // the inside of a JSON string, as it came
	Tokens  int    `json:"tokens"`
	Touched int    `json:"touched"` // the last message that worked on the file
	Edited  bool   `json:"edited"`  // the file was changed by the agent
}

// workingSet returns the outputs of [from, to) that show files, with those that
// earlier records kept, the most recently worked on first, as many as fit into
// room tokens. What the agent has read again or rewritten since is out of date
// and left out.
func (f *frontier) workingSet(earlier []Kept, from, to, room int) []Kept {
	if room <= 0 {
		return nil
	}
	touched := map[string]int{}
	edited := map[string]bool{}
	var all []Kept
	calls := f.callsUpTo(to)
	stale, _ := judge(calls)
	for i := range calls {
		c := &calls[i]
		if c.failed || c.result < from {
			continue
		}
		for _, p := range c.paths {
			touched[p] = c.result
			edited[p] = edited[p] || c.kind == callWrites
		}
		if c.kind == callReads && len(c.paths) == 1 && stale[i] == fresh && f.v.tokens[c.result] <= room {
			if body := f.v.msgs[c.result].Content().StringBody(); len(body) > 0 {
				all = append(all, Kept{Of: c.describe(120), Path: c.paths[0], Body: body, Tokens: f.v.tokens[c.result]})
			}
		}
	}
	for _, k := range earlier {
		if _, again := touched[k.Path]; !again {
			all = append(all, k)
		}
	}
	for i := range all {
		k := &all[i]
		k.Touched = max(k.Touched, touched[k.Path])
		k.Edited = k.Edited || edited[k.Path]
	}
	slices.SortStableFunc(all, func(a, b Kept) int { return b.worth() - a.worth() })
	var kept []Kept
	for _, k := range all {
		if k.Tokens <= room {
			room -= k.Tokens
			kept = append(kept, k)
		}
	}
	return kept
}

// worth ranks by how recently the file was worked on; a file that the agent
// changes counts as touched a little later.
func (k *Kept) worth() int {
	if k.Edited {
		return k.Touched + 10
	}
	return k.Touched
}

// callsUpTo are the calls answered before message to.
func (f *frontier) callsUpTo(to int) []call {
	n := len(f.calls)
	for n > 0 && f.calls[n-1].caller >= to {
		n--
	}
	return f.calls[:n:n]
}

// appendKept appends the outputs word for word, each with the call that made it.
func appendKept(text []byte, kept []Kept) []byte {
	for _, k := range kept {
		text = append(text, `\n<output of=\"`...)
		text = chat.AppendEscaped(text, k.Of)
		text = append(text, `\">\n`...)
		text = append(text, k.Body...)
		text = append(text, `\n</output>\n`...)
	}
	return text
}
