package workset

import "killick/transcript"

// change is a change of files by a call.
type change struct {
	transcript.Change
	at int // the message that makes the call
}

// changed is what is known of a file after the first changes of a list.
type changed struct {
	seen     int  // changes
	replaced bool // nothing of what it held before them is left
	touched  int  // the message of the last of them that may be one of the file; 0 if none may be
}

// addChanges notes what a call does to files. done is set if its result is known.
func (n *newerLines) addChanges(c *transcript.Call, done bool) {
	for _, of := range c.Changes() {
		of.Sure = of.Sure && done
		n.changes = append(n.changes, change{of, c.Caller + 1})
	}
}

// changedSince returns what the changes noted so far did to a file.
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
