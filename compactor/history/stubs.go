package history

import (
	"slices"

	"killick/chat"
	"killick/compactor/checkpoint"
	"killick/compactor/layout"
	"killick/transcript"
)

// Some agents answer a repeated read with a stub that refers to the earlier result.
// Where that result is hidden its content is nowhere, so it is put into the answer:
// that one is newer than all that the form changes, and what is cached stays. It
// follows from the messages and the form alone, so it reads the same at every turn.

// filledStub is a stub with the content that it refers to.
type FilledStub struct {
	index int
	form  chat.Message
	more  int // tokens beside those of the stub
}

// filled returns the stubs in the tail of cp whose content that form hides. Where it
// would have taken the request past the window when it came, a stub stays one.
func Filled(v *layout.View, cp *checkpoint.Checkpoint, window int, c layout.Counter) (filled []FilledStub) {
	stubs := stubs(v, cp.Fold)
	if len(stubs) == 0 {
		return nil
	}
	t := v.Transcript(0)
	hidden, shown := hiddenBy(v, cp), map[string]bool{}
	size, end := checkpoint.Size(v, cp, v.FixedRounded()), v.Before[len(v.Messages)]
	for _, i := range stubs {
		n := t.Answered(i)
		if n < 0 || shown[t.Calls[n].Key()] {
			continue
		}
		original := lastContent(t, n)
		if original == nil || !hidden(original) {
			continue
		}
		form, err := chat.ParseMessage(v.Messages[i].WithContent(v.Original(original.Result).Content()))
		if err != nil {
			continue
		}
		more := c.Message(&form) - v.Tokens[i]
		if size-(end-v.Before[i+1])+more > window {
			continue
		}
		size += more
		shown[t.Calls[n].Key()] = true
		filled = append(filled, FilledStub{index: i, form: form, more: more})
	}
	return filled
}

// answerStubs puts what filled returned in place of the stubs, and returns what that
// adds to the size of the request.
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

// moreBefore is what filled stubs add to the request as it was at message n.
func MoreBefore(filled []FilledStub, n int) (more int) {
	for i := range filled {
		if filled[i].index < n {
			more += filled[i].more
		}
	}
	return more
}

// stubs are the results from message from on that refer to earlier ones.
func stubs(v *layout.View, from int) (found []int) {
	for i := from; i < len(v.Messages); i++ {
		if v.Messages[i].Role().Result() && transcript.IsStub(&v.Messages[i]) {
			found = append(found, i)
		}
	}
	return found
}

// lastContent returns the last call before call n that is the same and brought the
// content; nil if there is none.
func lastContent(t *transcript.Transcript, n int) *transcript.Call {
	of := &t.Calls[n]
	for i := n - 1; i >= 0; i-- {
		c := &t.Calls[i]
		if c.Stub || c.Result < 0 || c.Failed() {
			continue
		}
		if c.Key() == of.Key() || c.Whole() && of.Effect == transcript.Reads && len(of.Paths) == 1 && c.Paths[0].Name == of.Paths[0].Name {
			return c
		}
	}
	return nil
}
