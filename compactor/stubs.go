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

// answerStubs puts the content that they refer to in place of the stubs in the tail
// of cp, as far as the window has room, and returns the size of the request then.
func (v *view) answerStubs(cp *Checkpoint, size, window int, c Counter) int {
	stubs := v.stubs(cp.Fold)
	if len(stubs) == 0 {
		return size
	}
	t := v.transcript(0)
	hidden, shown := v.hiddenBy(cp), map[string]bool{}
	cloned := false
	for _, i := range stubs {
		n := t.Answered(i)
		if n < 0 {
			continue
		}
		key := t.Calls[n].Key()
		original := lastContent(t, n)
		if original == nil || !hidden(original) || shown[key] {
			continue
		}
		raw := v.msgs[i].WithContent(v.original(original.Result).Content())
		form, err := chat.ParseMessage(raw)
		if err != nil {
			continue
		}
		tokens := c.Message(&form)
		if size+tokens-v.tokens[i] > window {
			continue
		}
		if !cloned {
			v.msgs, cloned = slices.Clone(v.msgs), true
		}
		size += tokens - v.tokens[i]
		v.msgs[i] = form
		v.stubbed = append(v.stubbed, i)
		shown[key] = true
	}
	return size
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
