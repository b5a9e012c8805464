package compactor

import (
	"bytes"
	"errors"
	"fmt"

	"killick/chat"
)

// errUnsound says that a form would have broken a request. It never reaches a
// client: the form is dropped, and counted.
var errUnsound = errors.New("unsound form")

// sound holds a new form against the request that it is made of: it parses, its
// instructions are the same, and no call or result has lost the other.
func sound(v *view, cp *Checkpoint) error {
	out, err := chat.Parse(v.render(cp, v.replacement(cp)))
	if err != nil {
		return fmt.Errorf("%w: %w", errUnsound, err)
	}
	was, is := count(v.msgs), count(out.Messages()[v.lead:])
	if is.orphans > was.orphans || is.open > was.open {
		return fmt.Errorf("%w: %d results without a call and %d calls without a result, want at most %d and %d",
			errUnsound, is.orphans, is.open, was.orphans, was.open)
	}
	if !bytes.Equal(is.instructions, was.instructions) {
		return fmt.Errorf("%w: a system or developer message changed", errUnsound)
	}
	return nil
}

// tally is what a list of messages must keep.
type tally struct {
	orphans, open int
	instructions  []byte
}

func count(msgs []chat.Message) (t tally) {
	groups := chat.Groups(msgs)
	for _, g := range groups {
		m := &msgs[g.Start]
		if g.Open {
			t.open++
		}
		if m.Role().Result() {
			t.orphans++
		}
	}
	for i := range msgs {
		if msgs[i].Role().Instructs() {
			t.instructions = append(append(t.instructions, msgs[i].Raw...), 0)
		}
	}
	return t
}
