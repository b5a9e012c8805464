package checkpoint

import "killick/compactor/layout"

// Size returns the tokens of the request v in the form cp, including those of its preamble, without
// the text of models. If cp is nil, the request is as received.
func Size(v *layout.View, cp *Checkpoint, preamble int) int {
	if cp == nil {
		return preamble + v.Before[len(v.Messages)]
	}
	n := preamble + Tokens(cp.Records) + cp.Working.Tokens + cp.Provider.tokens()
	n += v.Before[len(v.Messages)] - v.Before[cp.Fold]
	if cp.Fold > 0 {
		n += v.Staying(cp.Fold)
	}
	n -= v.Signed(cp.unsigned(v))
	for i := range cp.Masks {
		n -= cp.Masks[i].Saved
	}
	return n
}

// TailSize returns the size of the messages from start on, in the form cp.
func TailSize(v *layout.View, cp *Checkpoint, start int) int {
	n := maskedSize(v, cp, start)
	if cp != nil {
		from, to := cp.unsigned(v)
		n -= v.Signed(max(from, start), to)
	}
	return n
}

// TailAfterFold returns the size of the messages from start on, if a form after cp folds those
// before them.
func TailAfterFold(v *layout.View, cp *Checkpoint, start int) int {
	n := maskedSize(v, cp, start)
	if v.Rules.DropSigned {
		n -= v.Signed(start, len(v.Messages))
	}
	return n
}

// maskedSize returns the size of the messages from start on with the masks of cp.
func maskedSize(v *layout.View, cp *Checkpoint, start int) int {
	n := v.Before[len(v.Messages)] - v.Before[start]
	if cp != nil {
		for i := range cp.Masks {
			if cp.Masks[i].Index >= start {
				n -= cp.Masks[i].Saved
			}
		}
	}
	return n
}

// FoldableTokens returns the most tokens that could be folded or masked beyond the form cp.
func FoldableTokens(v *layout.View, cp *Checkpoint) int {
	folded := 0
	if cp != nil {
		folded = cp.Fold
	}
	return v.Before[max(folded, v.Changeable())] - v.Before[folded]
}

// unsigned returns the messages whose signed parts the form makes invalid, [from, to): those after
// the first that it changes, up to where the conversation ended when it was made. The model wrote
// newer ones after this form. After a provider's summary, signed parts that were valid stay valid.
func (cp *Checkpoint) unsigned(v *layout.View) (from, to int) {
	switch {
	case !v.Rules.DropSigned:
		return 0, 0
	case cp.Provider != nil:
		return cp.Fold, max(cp.Fold, min(cp.Provider.Unsigned, len(v.Messages)))
	case cp.Fold > 0:
		from = cp.Fold
	case len(cp.Masks) > 0:
		from = cp.Masks[0].Index + 1
	default:
		return 0, 0
	}
	return from, max(from, min(cp.At, len(v.Messages)))
}
