package history

import (
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/transcript"
	"killick/view"
)

// Some agents answer a repeated read with a stub that refers to the earlier result. If that result
// is hidden, the request does not have its content, so the content replaces the stub. The stub is
// newer than everything that the form changes, so what is cached stays valid. The replacement
// follows from the messages and the form, so it is the same at every turn.

// FilledStub is a stub with the content that it refers to.
type FilledStub struct {
	index int
	form  view.Message
	more  int // tokens that the content adds
}

// Filled returns the stubs in the tail of cp whose content that form hides. A stub is not filled if
// its content would have made the request exceed the window when the stub was new, nor if an
// earlier one refers to the same result: that one has the content, or it would not fit there.
func Filled(
	v *layout.View,
	cp *checkpoint.Checkpoint,
	window int,
	c layout.Counter,
) (filled []FilledStub) {
	known := index(v)
	stubs := known.stubs.Items()
	stubs = stubs[stubsBefore(stubs, cp.Fold):stubsBefore(stubs, len(v.Messages))]
	if len(stubs) == 0 {
		return nil
	}
	read := groupsOf(v)
	of := make([]*transcript.Call, len(stubs))
	for k, i := range stubs {
		of[k] = read.answeredBy(i)
	}
	contents := read.contentsFor(known, of)
	hidden, shown, tried := hiddenBy(v, cp), map[string]bool{}, map[int]bool{}
	size, end := checkpoint.Size(v, cp, v.FixedRounded()), v.Before[len(v.Messages)]
	for k, i := range stubs {
		if of[k] == nil || shown[of[k].Key()] {
			continue
		}
		original := contents.last(of[k])
		if original == nil || !hidden(original) || tried[original.Result] {
			continue
		}
		tried[original.Result] = true
		form, err := v.Parse(v.Messages[i].WithContent(v.Original(original.Result).Content()))
		if err != nil {
			continue
		}
		more := c.Message(&form) - v.Tokens[i]
		if size-(end-v.Before[i+1])+more > window {
			continue
		}
		size += more
		shown[of[k].Key()] = true
		filled = append(filled, FilledStub{index: i, form: form, more: more})
	}
	return filled
}

// AnswerStubs replaces stubs by what Filled returned, and returns the number of tokens that this
// adds to the request.
func AnswerStubs(v *layout.View, filled []FilledStub) (more int) {
	if len(filled) > 0 {
		v.Messages = slices.Clone(v.Messages)
	}
	for i := range filled {
		f := &filled[i]
		v.Messages[f.index] = f.form
		v.Stubbed = append(v.Stubbed, f.index)
		more += f.more
	}
	return more
}

// StubsFrom returns the filled stubs from message n on.
func StubsFrom(filled []FilledStub, n int) (messages []int) {
	for i := range filled {
		if filled[i].index >= n {
			messages = append(messages, filled[i].index)
		}
	}
	return messages
}

// MoreBefore returns the tokens that filled stubs before message n add.
func MoreBefore(filled []FilledStub, n int) (more int) {
	for i := range filled {
		if filled[i].index < n {
			more += filled[i].more
		}
	}
	return more
}

// answeredBy returns the call that message i answers, nil if it answers none.
func (g groups) answeredBy(i int) *transcript.Call {
	t := g.with(i)
	if n := t.Answered(i); n >= 0 {
		return &t.Calls[n]
	}
	return nil
}
