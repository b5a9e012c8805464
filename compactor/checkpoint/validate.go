package checkpoint

import (
	"bytes"
	"errors"
	"fmt"

	"killick/compactor/layout"
	"killick/view"
)

// errInvalid is the error if a form would break a request. It never reaches a client: the form is
// discarded, and counted.
var errInvalid = errors.New("invalid form")

// Validate checks a new form against its request: the result parses, what must be sent as received
// is unchanged, and no call or result has lost the other.
func Validate(v *layout.View, cp *Checkpoint) error {
	out, err := view.Parse(v.Request.Format(), Render(v, cp, Replace(v, cp)))
	if err != nil {
		return fmt.Errorf("%w: %w", errInvalid, err)
	}
	first := v.Lead
	if cp.Provider != nil {
		first++ // the provider's summary
	}
	sent := out.Messages()[first:]
	was, is := tallyOf(v.Messages, groupsOf(v)), tallyOf(sent, view.Groups(sent))
	if is.orphans > was.orphans || is.open > was.open {
		return fmt.Errorf("%w: %d results without a call and %d calls without a result, "+
			"want at most %d and %d", errInvalid, is.orphans, is.open, was.orphans, was.open)
	}
	if !bytes.Equal(is.fixed, was.fixed) {
		return fmt.Errorf("%w: a message changed that must be sent as received", errInvalid)
	}
	return nil
}

// tally has the properties of a list of messages that a form must preserve.
type tally struct {
	orphans, open int    // results without a call, calls without a result
	fixed         []byte // messages that must be sent as received, without their signed parts
}

// groupsOf returns the groups of a conversation that follow from calls and results only.
func groupsOf(v *layout.View) []view.Group {
	if v.Rules.StartSigned {
		return view.Groups(v.Messages)
	}
	return v.Groups
}

func tallyOf(msgs []view.Message, groups []view.Group) (t tally) {
	for _, g := range groups {
		m := &msgs[g.Start]
		if g.Open {
			t.open++
		}
		if m.Role().Result() {
			t.orphans++
		}
		for i := g.Start; i < g.End; i++ {
			if g.Fixed || msgs[i].Role().Instructs() {
				// Two messages may have become one, with a comma between their contents.
				if raw := msgs[i].Format().WithoutSigned(&msgs[i]); raw != nil {
					t.fixed = append(append(t.fixed, raw...), ',')
				}
			}
		}
	}
	return t
}
