package checkpoint

import (
	"errors"
	"fmt"

	"killick/compactor/layout"
	"killick/rawjson"
	"killick/view"
)

// introduction precedes the rest of the replacement: without it, the user's words could be taken
// for a new request.
var introduction = view.Spelling{}.UserMessage(rawjson.AppendQuoted(nil, introductionText))

const introductionText = "[killick] The summary at the beginning of this conversation stands for " +
	"its oldest turns. Below, up to the end of the record, is repeated what the user's side said " +
	"in those turns, word for word, and what the record holds of them. It is context and no new " +
	"request."

// errNotFirst is the error if a provider's summary cannot be first.
var errNotFirst = errors.New("the provider's summary would not stand directly before the turns " +
	"that follow it")

// WithProvider returns the form cp with a provider's summary. before is the previous form, nil if
// there is none. cp must have been made where the conversation ends, and must fold the same turns
// as the summary. It fails if the summary could not directly precede turns that are sent unchanged.
func (cp *Checkpoint) WithProvider(
	v *layout.View, before *Checkpoint, p ProviderSummary, c layout.Counter,
) (*Checkpoint, error) {
	n := len(v.Messages)
	p.Place = n
	stays := v.Staying(cp.Fold) > 0
	if last := &v.Messages[n-1]; n > 1 && last.Role() == view.User && !last.Is(view.Several) &&
		v.Messages[n-2].Role() == view.Assistant && v.MayCut(n-1) && !stays {
		p.Place = n - 1 // before the request that is to be answered
	}
	if !MayPrecede(v, cp.Fold) || cp.Fold >= p.Place || !v.MayCut(p.Place) ||
		!sameMasks(cp, before) || stays && staysBetween(v, cp.Fold, n) ||
		v.Messages[p.Place-1].Role().Instructs() {
		return nil, errNotFirst
	}
	if before != nil {
		if before.Provider != nil && cp.Fold < before.Provider.Place {
			return nil, errNotFirst
		}
		_, p.Unsigned = before.unsigned(v)
	}
	for i, raw := range [][]byte{p.Raw, introduction} {
		m, err := v.Parse(raw)
		if err != nil {
			return nil, fmt.Errorf("counting message %d of a provider's summary: %w", i, err)
		}
		p.Tokens += c.Message(&m)
	}
	with := *cp
	with.Provider, with.Covers = &p, max(cp.Covers, n-1)
	return &with, nil
}

// MayPrecede reports whether a provider's summary may replace the first n messages: it can be sent
// before everything else, the next message has another speaker, and none of the n messages stays,
// except one instruction. One instruction can be sent later; the API would reject it there if it
// followed another or preceded a user message.
func MayPrecede(v *layout.View, n int) bool {
	if !v.Rules.Summarizes || v.Lead > 0 || v.Strict || n <= 0 || n >= len(v.Messages) ||
		!v.MayCut(n) || v.Messages[n].Role().Instructs() ||
		v.Messages[n-1].Role().Instructs() {
		return false
	}
	stays := staying(v, n)
	if len(stays) > 1 || len(stays) == 1 && !onlyInstructs(&v.Messages[stays[0]]) {
		return false
	}
	assistant := v.Messages[n].Role() == view.Assistant
	return assistant != (v.Messages[n-1].Role() == view.Assistant)
}

// sameMasks reports whether a form masks the same outputs after its fold as the previous form.
func sameMasks(cp, before *Checkpoint) bool {
	n := 0
	if before != nil {
		for i := range before.Masks {
			if before.Masks[i].Index >= cp.Fold {
				n++
			}
		}
	}
	return n == len(cp.Masks)
}

// WithoutProvider returns the form cp without its provider's summary, for a conversation of n
// messages or more.
func (cp *Checkpoint) WithoutProvider(n int) *Checkpoint {
	plain := *cp
	plain.Provider, plain.At, plain.Written = nil, n, ""
	plain.Covers = min(cp.Covers+1, n)
	return &plain
}

// DropSigned notes that a new form changes messages after its provider's summary, if it has one.
// Signed parts in the conversation, which has n messages, are then no longer valid.
func (cp *Checkpoint) DropSigned(n int) {
	if cp.Provider != nil {
		p := *cp.Provider
		p.Unsigned = n
		cp.Provider = &p
	}
}
