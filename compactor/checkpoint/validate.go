package checkpoint

import (
	"bytes"
	"errors"
	"fmt"

	"killick/chat"
	"killick/compactor/layout"
)

// errUnsound says that a form would have broken a request. It never reaches a
// client: the form is dropped, and counted.
var ErrInvalid = errors.New("unsound form")

// sound holds a new form against the request that it is made of: it parses, its
// instructions are the same, and no call or result has lost the other.
func Validate(v *layout.View, cp *Checkpoint) error {
	out, err := chat.Parse(Render(v, cp, Replace(v, cp)))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	was, is := Count(v.Messages), Count(out.Messages()[v.Lead:])
	if is.Orphans > was.Orphans || is.Open > was.Open {
		return fmt.Errorf("%w: %d results without a call and %d calls without a result, want at most %d and %d",
			ErrInvalid, is.Orphans, is.Open, was.Orphans, was.Open)
	}
	if !bytes.Equal(is.Instructions, was.Instructions) {
		return fmt.Errorf("%w: a system or developer message changed", ErrInvalid)
	}
	return nil
}

// tally is what a list of messages must keep.
type tally struct {
	Orphans, Open int
	Instructions  []byte
}

func Count(msgs []chat.Message) (t tally) {
	groups := chat.Groups(msgs)
	for _, g := range groups {
		m := &msgs[g.Start]
		if g.Open {
			t.Open++
		}
		if m.Role().Result() {
			t.Orphans++
		}
	}
	for i := range msgs {
		if msgs[i].Role().Instructs() {
			t.Instructions = append(append(t.Instructions, msgs[i].Raw...), 0)
		}
	}
	return t
}
