package workset

import (
	"cmp"
	"strings"

	"killick/transcript"
)

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
	// to is where that one moved it, "" if it did not; it is change number moved of the list.
	to    string
	moved int
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
	for ; state.seen < len(n.changes) && (!state.replaced || state.to != ""); state.seen++ {
		of := &n.changes[state.seen]
		switch {
		case of.Replaces(path) && !state.replaced:
			state.replaced = true
			if sameFile(of.Path, path) && of.To != "" {
				state.to, state.moved, state.touched = of.To, state.seen, of.at
			}
		case of.Replaces(path): // before it was moved
			state.to = ""
		case of.Touches(path):
			state.touched = of.at
		}
	}
	return state
}

// sameFile reports whether two paths name one file. A name alone may be that of another folder's.
func sameFile(changed, path string) bool {
	return changed == path ||
		strings.ContainsRune(changed, '/') && transcript.SamePath(changed, path)
}

// movedTo returns a block of a file that was moved since as one of the file that it became. ok is
// false if the content of that was replaced later, or if the lines stand for more than one file.
func (n *newerLines) movedTo(b *Block, state *changed) (moved Block, ok bool) {
	if state.to == "" || b.Of != "" {
		return Block{}, false
	}
	for i := range n.changes[:state.moved] {
		if n.changes[i].Replaces(state.to) {
			return Block{}, false
		}
	}
	moved = *b
	moved.Path, moved.Touched = state.to, cmp.Or(b.Touched, state.touched)
	return moved, true
}
