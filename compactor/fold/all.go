package fold

import (
	"errors"
	"strings"

	"killick/compactor/checkpoint"
	"killick/compactor/history"
	"killick/compactor/layout"
	"killick/view"
)

// All returns the text of a record of all turns of a conversation that has no form, and the
// originals that it names. It is for a client that sends it after all user messages, so it quotes
// none of them. Records in the conversation precede it: the newest that fit into the room.
//
// The error is ErrNothing if there are only user messages, and ErrCoverage if the text has too
// little of what it replaces.
func All(
	h *history.History, c layout.Counter, refOf func([]byte) string,
) (text string, originals []checkpoint.Original, err error) {
	old, err := OldOf(h)
	if err != nil {
		return "", nil, err
	}
	k := NewKeeper(h, c, refOf)
	k.all = true
	to := len(h.View.Messages)
	earlier, holds := k.earlier(to)
	if !holds {
		return "", nil, ErrNothing
	}
	cp, d, err := Compose(h, old, to, k)
	if err != nil {
		return "", nil, err
	}
	if err = verify(h, cp, d, to); err != nil && !errors.Is(err, ErrCoverage) {
		return "", nil, err
	}
	text = earlier + d.Text()
	if cp.Working.Raw != nil {
		text += "\n" + cp.Working.Text()
	}
	return text, d.Originals, err
}

// earlier returns the text of the newest records in [0, to) that fit into a quarter of the target.
// holds reports whether there is a record, or a message that is not the user's.
func (k *Keeper) earlier(to int) (text string, holds bool) {
	var b strings.Builder
	room := k.budget.Target / 4
	var records []int
	for i := to - 1; i >= 0; i-- {
		switch role := k.t.Messages[i].Role(); {
		case role.Instructs():
		case role != view.User:
			holds = true
		case k.isRecord(i):
			holds = true
			if room -= k.v.Tokens[i]; room >= 0 {
				records = append(records, i)
			}
		}
	}
	for n := len(records) - 1; n >= 0; n-- {
		b.WriteString(k.t.Message(records[n]).Text + "\n")
	}
	return b.String(), holds
}
