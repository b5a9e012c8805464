package checkpoint

import (
	"slices"

	"killick/compactor/layout"
	"killick/view"
)

// Replacement is what is sent in place of folded turns.
type Replacement struct {
	before   []int      // messages of the folded turns that stay, if they are sent first
	messages []replaced // in order
	next     int        // the first message of the tail that is sent after them
	after    int        // messages of the tail before this one are sent before them
	saved    int        // tokens of client messages that were merged into ours
	changed  bool       // our messages differ from the records as they were counted
}

// replaced is one message of a replacement.
type replaced struct {
	raw   []byte // nil if message index is sent as received
	index int    // of the message that it replaces, -1 if none
}

// Replace returns what is sent in place of the turns that cp folds: for each record, the messages
// that stay and the kept messages of its turns, in their order, and then the record. The last
// record has the cache breakpoint of those turns.
//
// For an upstream with a strict template, all of this is one message. If the first turn of the tail
// is the user's, it is merged into that, so that no two user messages follow one another that did
// not before. Such templates do not treat instructions, calls and results as turns: if any of them
// precede that user turn, they are sent first.
func Replace(v *layout.View, cp *Checkpoint) Replacement {
	in := Replacement{next: cp.Fold, after: cp.Fold}
	if len(cp.Records) == 0 {
		return in
	}
	stays := staying(v, cp.Fold)
	var last []int // those of them that are sent after everything else
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
		in.before = stays
		raw := contentOf(v, cp.allRecords()).message(v.Request.Format().Spelling(), mark)
		in.messages = []replaced{{raw, -1}}
	default:
		in.addRecords(v, cp, stays, mark)
		in.addBefore(v, last, cp.Fold)
	}
	return in
}

// addRecords adds a message for each record, after those that stay and the kept messages of its
// turns, and the working set.
func (in *Replacement) addRecords(v *layout.View, cp *Checkpoint, stays []int, mark breakpoint) {
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
		in.messages[len(in.messages)-1].raw = last.message(v.Request.Format().Spelling(), mark)
		in.changed = true
	}
	if cp.Working.Raw != nil {
		in.messages = append(in.messages, replaced{cp.Working.Raw, -1})
	}
}

// instructsTail reports whether one instruction stays of the folded turns, the API requires a
// message of the model after it, and the tail begins with one.
func instructsTail(v *layout.View, fold int, stays []int) bool {
	return v.Rules.InstructsModel && len(stays) == 1 && onlyInstructs(&v.Messages[stays[0]]) &&
		fold < len(v.Messages) && v.Messages[fold].Role() == view.Assistant
}

// addBefore adds the staying messages that precede message i, and returns the others. It leaves out
// their signed parts if these depend on the messages before them.
func (in *Replacement) addBefore(v *layout.View, stays []int, i int) []int {
	for len(stays) > 0 && stays[0] < i {
		m := replaced{index: stays[0]}
		stays = stays[1:]
		if message := &v.Messages[m.index]; v.Rules.DropSigned && message.Is(view.Signed) {
			in.changed = true
			if m.raw = message.Format().WithoutSigned(message); m.raw == nil {
				continue
			}
		}
		in.messages = append(in.messages, m)
	}
	return stays
}

// putUserFirst moves the first user message before those that stay.
func (in *Replacement) putUserFirst(v *layout.View) {
	first := slices.IndexFunc(in.messages, func(m replaced) bool {
		return m.index < 0 || v.Messages[m.index].Role() == view.User
	})
	user := in.messages[first]
	in.messages = slices.Insert(slices.Delete(in.messages, first, first+1), 0, user)
}

// recordEnds returns the end of the turns that each record replaces. If it does not matter, the
// folds are not decoded, and all ends are that of the last.
func (cp *Checkpoint) recordEnds(matters bool) []int {
	ends := make([]int, len(cp.Records))
	for i := range ends {
		ends[i] = cp.Fold
	}
	if !matters || len(ends) == 1 {
		return ends
	}
	// Each record is of one of the last folds, except the first: it is of all earlier ones.
	if folds, err := cp.Folds(); err == nil && len(folds) >= len(ends) {
		copy(ends, folds[len(folds)-len(ends):])
	}
	return ends
}

// isTurn reports whether a strict template treats a message as a turn of the user or the assistant.
// Mistral's template ignores all other messages.
func isTurn(m *view.Message) bool {
	return !m.Role().Instructs() && !m.Role().Result() && !m.HasCalls()
}

// SentAs returns what is sent in place of the turns that cp folds, and the size of the request with
// it.
func SentAs(v *layout.View, cp *Checkpoint, c layout.Counter) (Replacement, int) {
	in := Replace(v, cp)
	return in, in.size(v, cp, c, Size(v, cp, v.Preamble)+ModelTokens(cp.Records))
}

// size returns the size of the request in the form cp with this replacement. n is the size with the
// records as they were counted.
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
