package checkpoint

import (
	"killick/compactor/layout"
	"killick/view"
	"slices"
)

// Replacement is what is sent in place of folded turns.
type Replacement struct {
	before   []int      // messages of the folded turns that stay, before all else of it
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

// Replace returns what is sent in place of the turns that cp folds: what stays and what is kept of
// them in its order, and after that of each record the record, the last with the breakpoint that
// stood in those turns.
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
	stays := staying(v, cp.Fold)
	var last []int // of them, those after all else
	if cp.Provider != nil {
		in.next, in.after = cp.Provider.Place, cp.Provider.Place
	}
	if cp.Provider != nil || instructsTail(v, cp.Fold, stays) {
		stays, last = nil, stays
	}
	mark := foldedBreakpoint(v, cp)
	follows := cp.Fold // the first turn of the tail
	for v.Strict && follows < len(v.Messages) && !isTurn(&v.Messages[follows]) {
		follows++
	}
	switch {
	case v.Strict && follows < len(v.Messages) && v.Messages[follows].Role() == view.User:
		in.after, in.next, in.saved, in.changed = follows, follows+1, v.Tokens[follows], true
		merged := mergeInto(&v.Messages[follows], contentOf(v, cp.allRecords()), mark)
		in.before, in.messages = stays, []replaced{{merged, follows}}
	case v.Strict && (len(cp.allRecords()) > 1 || len(cp.Records[0].Kept) > 0):
		in.changed = true
		text := v.Request.Format().Spelling().TextPart
		in.before = stays
		in.messages = []replaced{{contentOf(v, cp.allRecords()).message(text, mark), -1}}
	default:
		ends := cp.recordEnds(len(stays) > 0)
		for i := range cp.Records {
			r := &cp.Records[i]
			for k := range r.Kept {
				stays = in.addBefore(v, stays, r.Kept[k].Index)
				in.messages = append(in.messages, replaced{r.Kept[k].Raw, r.Kept[k].Index})
			}
			stays = in.addBefore(v, stays, ends[i])
			in.messages = append(in.messages, replaced{r.Raw, -1})
		}
		if v.Rules.UserFirst {
			in.putUserFirst(v)
		}
		if mark.value != nil {
			last := contentOfRecord(&cp.Records[len(cp.Records)-1])
			text := v.Request.Format().Spelling().TextPart
			in.messages[len(in.messages)-1].raw = last.message(text, mark)
			in.changed = true
		}
		if cp.Working.Raw != nil {
			in.messages = append(in.messages, replaced{cp.Working.Raw, -1})
		}
		in.addBefore(v, last, cp.Fold)
	}
	return in
}

// instructsTail reports whether what stays of the folded turns is one instruction that must be
// before a message of the model's, as the first of the tail is.
func instructsTail(v *layout.View, fold int, stays []int) bool {
	return v.Rules.InstructsModel && len(stays) == 1 && onlyInstructs(&v.Messages[stays[0]]) &&
		fold < len(v.Messages) && v.Messages[fold].Role() == view.Assistant
}

// staying returns the messages of the first n that stay, in order.
func staying(v *layout.View, n int) (stays []int) {
	if v.Staying(n) == 0 {
		return nil
	}
	for i := range n {
		if v.Stays(i) {
			stays = append(stays, i)
		}
	}
	return stays
}

// addBefore adds those that precede message i, and returns the others. Their bound parts are left
// out where what was before them matters.
func (in *Replacement) addBefore(v *layout.View, stays []int, i int) []int {
	for len(stays) > 0 && stays[0] < i {
		m := replaced{index: stays[0]}
		stays = stays[1:]
		if message := &v.Messages[m.index]; v.Rules.DropBound && message.Is(view.Bound) {
			in.changed = true
			if m.raw = message.Format().WithoutBound(message); m.raw == nil {
				continue
			}
		}
		in.messages = append(in.messages, m)
	}
	return stays
}

// putUserFirst puts the first message of the user's before those that stay.
func (in *Replacement) putUserFirst(v *layout.View) {
	first := slices.IndexFunc(in.messages, func(m replaced) bool {
		return m.index < 0 || v.Messages[m.index].Role() == view.User
	})
	user := in.messages[first]
	in.messages = slices.Insert(slices.Delete(in.messages, first, first+1), 0, user)
}

// recordEnds returns for each record where the turns end that it replaces. They are only read
// where that matters; else all end with the last.
func (cp *Checkpoint) recordEnds(matters bool) []int {
	ends := make([]int, len(cp.Records))
	for i := range ends {
		ends[i] = cp.Fold
	}
	if !matters || len(ends) == 1 {
		return ends
	}
	// Records are of the last folds, one of each, but the first, which is of all before.
	if folds, err := cp.Folds(); err == nil && len(folds) >= len(ends) {
		copy(ends, folds[len(folds)-len(ends):])
	}
	return ends
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
	n -= Tokens(cp.Records) + cp.Working.Tokens + ModelTokens(cp.Records) + in.saved
	if len(in.before) == 0 { // what stays is among the messages
		n -= v.Staying(cp.Fold)
	}
	for _, m := range in.messages {
		if m.raw == nil {
			n += v.Tokens[m.index]
		} else if form, err := v.Parse(m.raw); err == nil {
			n += c.Message(&form)
		}
	}
	return n
}
