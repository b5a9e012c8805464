package workset

import "killick/transcript"

// change is a change that a call makes to files.
type change struct {
	transcript.Change
	at int // the message that makes the call
}

// changed is what the first changes of a list did to a file.
type changed struct {
	seen     int  // how many changes these are
	replaced bool // one of them replaced or removed all of its content
	touched  int  // the message of the last one that may have changed it, 0 for none
}

// addChanges adds what a call does to files. done is set if its result is known.
func (n *newerLines) addChanges(c *transcript.Call, done bool) {
	for _, of := range c.Changes() {
		of.Sure = of.Sure && done
		n.changes = append(n.changes, change{of, c.Caller + 1})
	}
}

// changedSince returns what the changes added so far did to a file.
func (n *newerLines) changedSince(path string) *changed {
	state := n.byPath[path]
	if state == nil {
		state = &changed{}
		if n.byPath == nil {
			n.byPath = map[string]*changed{}
		}
		n.byPath[path] = state
	}
	for ; state.seen < len(n.changes) && !state.replaced; state.seen++ {
		of := &n.changes[state.seen]
		if state.replaced = of.Replaces(path); !state.replaced && of.Touches(path) {
			state.touched = of.at
		}
	}
	return state
}
