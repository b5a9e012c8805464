package history

import (
	"slices"

	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/transcript"
	"killick/view"
)

// Some agents answer a repeated read with a stub that refers to the earlier result, and so does
// package truncate for an output that repeats one shortly before it. If that result is hidden, the
// request does not have its content, so the content replaces the stub. The stub is newer than
// everything that the form changes, so what is cached stays valid. The replacement follows from the
// messages and the form, so it is the same at every turn.

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
	v *layout.View, cp *checkpoint.Checkpoint, window int, c layout.Counter,
) []FilledStub {
	f := NewFilling(v, cp, window, c)
	f.to(len(v.Messages))
	return f.filled
}

// Filling fills the stubs in the tail of a form, as far as it is asked for them: the form may be
// replaced before the end of a long conversation.
type Filling struct {
	v      *layout.View
	window int
	count  layout.Counter

	stubs    []int // that were not looked at
	contents *contents
	hidden   func(c *transcript.Call) bool
	shown    map[string]bool // by the key of a call
	tried    map[int]bool    // by result
	size     int             // of the request, with what was filled
	filled   []FilledStub
	more     int // tokens that these add
}

// NewFilling returns the Filling of a form; cp may be nil.
func NewFilling(
	v *layout.View, cp *checkpoint.Checkpoint, window int, c layout.Counter,
) *Filling {
	f := &Filling{v: v, window: window, count: c}
	if cp != nil {
		stubs := index(v).stubs.Items()
		f.stubs = stubs[stubsBefore(stubs, cp.Fold):stubsBefore(stubs, len(v.Messages))]
		if repeats := repeatsOf(v, cp); len(repeats) > 0 {
			f.stubs = slices.Concat(f.stubs, repeats)
			slices.Sort(f.stubs)
		}
	}
	if len(f.stubs) > 0 {
		f.contents, f.hidden = contentsOf(v), hiddenBy(v, cp)
		f.shown, f.tried = map[string]bool{}, map[int]bool{}
		f.size = checkpoint.Size(v, cp, v.PreambleRounded())
	}
	return f
}

// repeatsOf returns the outputs in the tail of cp that package truncate replaced by a reference to
// an output that cp hides.
func repeatsOf(v *layout.View, cp *checkpoint.Checkpoint) (repeats []int) {
	for i, s := range v.Truncated {
		if i >= cp.Fold && i < len(v.Messages) && repeatsHidden(cp, s) {
			repeats = append(repeats, i)
		}
	}
	return repeats
}

// repeatsHidden reports whether a short form refers to an output that cp, which may be nil, hides.
func repeatsHidden(cp *checkpoint.Checkpoint, s layout.Truncation) bool {
	first := s.Repeats - 1
	return first >= 0 && (first < folded(cp) || masked(cp, first))
}

// to fills the stubs before message n.
func (f *Filling) to(n int) {
	for len(f.stubs) > 0 && f.stubs[0] < n {
		f.fill(f.stubs[0])
		f.stubs = f.stubs[1:]
	}
}

func (f *Filling) fill(i int) {
	v := f.v
	if s, repeat := v.Truncated[i]; repeat {
		f.add(i, *v.Original(i), s.Original-s.Tokens)
		return
	}
	of := f.contents.answeredBy(i)
	if of == nil || f.shown[of.Key()] {
		return
	}
	original := f.contents.last(of)
	if original == nil || !f.hidden(original) || f.tried[original.Result] {
		return
	}
	f.tried[original.Result] = true
	form, err := v.Parse(v.Messages[i].WithContent(v.Original(original.Result).Content()))
	if err != nil {
		return
	}
	if f.add(i, form, f.count.Message(&form)-v.Tokens[i]) {
		f.shown[of.Key()] = true
	}
}

// add has message i sent in a form that takes more tokens. It reports whether there was room for it
// when the message was new.
func (f *Filling) add(i int, form view.Message, more int) bool {
	if f.size-(f.v.Before[len(f.v.Messages)]-f.v.Before[i+1])+more > f.window {
		return false
	}
	f.size, f.more = f.size+more, f.more+more
	f.filled = append(f.filled, FilledStub{index: i, form: form, more: more})
	return true
}

// MoreBefore returns the tokens that filled stubs before message n add.
func (f *Filling) MoreBefore(n int) int {
	f.to(n)
	more := f.more
	for i := len(f.filled) - 1; i >= 0 && f.filled[i].index >= n; i-- {
		more -= f.filled[i].more
	}
	return more
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

// answeredBy returns the call that message i answers, nil if it answers none.
func (g groups) answeredBy(i int) *transcript.Call {
	t := g.with(i)
	if n := t.Answered(i); n >= 0 {
		return &t.Calls[n]
	}
	return nil
}
