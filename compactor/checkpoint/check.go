package checkpoint

import (
	"fmt"

	"killick/view"
)

// check checks that a decoded checkpoint can be rendered over msgs, its conversation.
func (cp *Checkpoint) check(covers int, msgs []view.Message) error {
	switch {
	case cp.Covers != covers || covers > len(msgs) || cp.Fold < 0 || cp.Fold > covers:
		return fmt.Errorf("%w: it covers %d messages and folds %d, want at most %d",
			ErrUnreadable, cp.Covers, cp.Fold, covers)
	case cp.Fold > 0 && (cp.details.summary == nil || len(cp.Records) == 0):
		return fmt.Errorf("%w: it folds turns without a summary", ErrUnreadable)
	case cp.Fold == 0 && len(cp.Records) > 0:
		return fmt.Errorf("%w: it has a record that replaces nothing", ErrUnreadable)
	}
	for i := range cp.Records {
		if !cp.Records[i].valid() {
			return fmt.Errorf("%w: its record %d is not a counted user message", ErrUnreadable, i)
		}
	}
	if !cp.Working.valid() || cp.Working.Raw != nil && cp.Fold == 0 {
		return fmt.Errorf("%w: its working set is not a counted user message", ErrUnreadable)
	}
	if cp.Provider != nil && !cp.Provider.fits(cp.Fold, len(msgs)) {
		return fmt.Errorf("%w: its provider's summary does not fit the conversation", ErrUnreadable)
	}
	if !keptFit(cp.Kept(), msgs[:cp.Fold]) {
		return fmt.Errorf("%w: its kept messages do not fit the conversation", ErrUnreadable)
	}
	last := cp.Fold - 1
	for i := range cp.Masks {
		m := &cp.Masks[i]
		if m.Index <= last || m.Index >= covers || !msgs[m.Index].Role().Result() ||
			m.Text == "" || m.Saved <= 0 {
			return fmt.Errorf("%w: a mask of message %d does not fit the conversation",
				ErrUnreadable, m.Index)
		}
		last = m.Index
	}
	return nil
}

// isUser reports whether raw is a user message in the format of another message.
func isUser(raw []byte, other *view.Message) bool {
	m, err := other.Format().Message(raw)
	return err == nil && m.Role() == view.User
}

// keptFit reports whether kept names user messages in their order.
func keptFit(kept []Kept, folded []view.Message) bool {
	last := -1
	for i := range kept {
		k := &kept[i]
		if k.Index <= last || k.Index >= len(folded) || k.Tokens <= 0 ||
			folded[k.Index].Role() != view.User ||
			k.Raw != nil && !isUser(k.Raw, &folded[k.Index]) {
			return false
		}
		last = k.Index
	}
	return true
}
