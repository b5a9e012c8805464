package compactor

import (
	"slices"

	"killick/chat"
	"killick/transcript"
)

// Some agents answer a repeated read with a stub that refers to the earlier result.
// Where that result is hidden its content is nowhere, so it is put into the answer:
// that one is newer than all that the form changes, and what is cached stays. It
// follows from the messages and the form alone, so it reads the same at every turn.

// filledStub is a stub with the content that it refers to.
type filledStub struct {
	index int
	form  chat.Message
	more  int // tokens beside those of the stub
}

// filled returns the stubs in the tail of cp whose content that form hides. Where it
// would have taken the request past the window when it came, a stub stays one.
func (v *view) filled(cp *Checkpoint, window int, c Counter) (filled []filledStub) {
	stubs := v.stubs(cp.Fold)
	if len(stubs) == 0 {
		return nil
	}
	t := v.transcript(0)
	hidden, shown := v.hiddenBy(cp), map[string]bool{}
	size, end := v.size(cp, v.fixedSteady()), v.before[len(v.msgs)]
	for _, i := range stubs {
		n := t.Answered(i)
		if n < 0 || shown[t.Calls[n].Key()] {
			continue
		}
		original := lastContent(t, n)
		if original == nil || !hidden(original) {
			continue
		}
		form, err := chat.ParseMessage(v.msgs[i].WithContent(v.original(original.Result).Content()))
		if err != nil {
			continue
		}
		more := c.Message(&form) - v.tokens[i]
		if size-(end-v.before[i+1])+more > window {
			continue
		}
		size += more
		shown[t.Calls[n].Key()] = true
		filled = append(filled, filledStub{index: i, form: form, more: more})
	}
	return filled
}

// answerStubs puts what filled returned in place of the stubs, and returns what that
// adds to the size of the request.
func (v *view) answerStubs(filled []filledStub) (more int) {
	if len(filled) > 0 {
		v.msgs = slices.Clone(v.msgs)
	}
	for i := range filled {
		f := &filled[i]
		v.msgs[f.index] = f.form
		v.stubbed = append(v.stubbed, f.index)
		more += f.more
	}
	return more
}

// moreBefore is what filled stubs add to the request as it was at message n.
func moreBefore(filled []filledStub, n int) (more int) {
	for i := range filled {
		if filled[i].index < n {
			more += filled[i].more
		}
	}
	return more
}

// stubs are the results from message from on that refer to earlier ones.
func (v *view) stubs(from int) (found []int) {
	for i := from; i < len(v.msgs); i++ {
		if v.msgs[i].Role().Result() && transcript.IsStub(&v.msgs[i]) {
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
