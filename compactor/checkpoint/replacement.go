package checkpoint

import (
	"killick/compactor/layout"
	"killick/view"
)

// Replacement is what is sent in place of folded turns.
type Replacement struct {
	messages []replaced // in order
	next     int        // the first message of the tail that is still to be sent
	after    int        // messages of the tail up to here are sent before these
	saved    int        // tokens of messages that became part of ours
	changed  bool       // ours are not the records as they were counted
}

// replaced is one message of a replacement.
type replaced struct {
	raw   []byte // nil: message index, as the client spells it
	index int    // of the message that it stands for, -1 if it is ours
}

// Replace returns what is sent in place of the turns that cp folds: what is kept of them
// and the records, the last with the breakpoint that stood in those turns.
//
// For an upstream with a strict template all of that is one message, and where the first
// turn of the tail is the user's it becomes part of that: then no two user messages
// follow one another that did not before. To such templates neither instructions nor
// calls and their results are turns: those in between are sent first.
func Replace(v *layout.View, cp *Checkpoint) Replacement {
	in := Replacement{next: cp.Fold, after: cp.Fold}
	if len(cp.Records) == 0 {
		return in
	}
	mark := foldedBreakpoint(v, cp)
	follows := cp.Fold
	for follows < len(v.Messages) && !isTurn(&v.Messages[follows]) {
		follows++
	}
	switch {
	case v.Strict && follows < len(v.Messages) && v.Messages[follows].Role() == view.User:
		in.after, in.next, in.saved, in.changed = follows, follows+1, v.Tokens[follows], true
		merged := mergeInto(&v.Messages[follows], contentOf(v, cp.Records), mark)
		in.messages = []replaced{{merged, follows}}
	case v.Strict && (len(cp.Records) > 1 || len(cp.Records[0].Kept) > 0):
		in.changed = true
		text := v.Request.Format().Spelling().TextPart
		in.messages = []replaced{{contentOf(v, cp.Records).message(text, mark), -1}}
	default:
		for i := range cp.Records {
			r := &cp.Records[i]
			for k := range r.Kept {
				in.messages = append(in.messages, replaced{r.Kept[k].Raw, r.Kept[k].Index})
			}
			in.messages = append(in.messages, replaced{r.Raw, -1})
		}
		if mark.value != nil {
			last := contentOfRecord(&cp.Records[len(cp.Records)-1])
			text := v.Request.Format().Spelling().TextPart
			in.messages[len(in.messages)-1].raw = last.message(text, mark)
			in.changed = true
		}
	}
	return in
}

// isTurn reports whether a strict template takes a message for a turn of either side:
// Mistral's leaves out what else there is.
func isTurn(m *view.Message) bool {
	return !m.Role().Instructs() && !m.Role().Result() && !m.HasCalls()
}

// SentAs returns what is sent in place of the turns that cp folds, and the size of the
// request then.
func SentAs(v *layout.View, cp *Checkpoint, c layout.Counter) (Replacement, int) {
	in := Replace(v, cp)
	return in, in.size(v, cp, c, Size(v, cp, v.Fixed)+ModelTokens(cp.Records))
}

// size is that of the request in the form cp with this for the folded turns, n being the
// size with the records as they were counted.
func (in *Replacement) size(v *layout.View, cp *Checkpoint, c layout.Counter, n int) int {
	if !in.changed {
		return n
	}
	n -= Tokens(cp.Records) + ModelTokens(cp.Records) + in.saved
	for _, m := range in.messages {
		if m.raw == nil {
			n += v.Tokens[m.index]
		} else if form, err := v.Parse(m.raw); err == nil {
			n += c.Message(&form)
		}
	}
	return n
}
