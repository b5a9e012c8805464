package checkpoint

import "killick/compactor/layout"

// Size is the tokens of the request v in the form cp, over a fixed part, without what
// models wrote in it. A nil checkpoint leaves it as it came.
func Size(v *layout.View, cp *Checkpoint, fixed int) int {
	if cp == nil {
		return fixed + v.Before[len(v.Messages)]
	}
	n := fixed + Tokens(cp.Records) + v.Before[len(v.Messages)] - v.Before[cp.Fold]
	if cp.Fold > 0 {
		n += v.Instructions(cp.Fold)
	}
	for i := range cp.Masks {
		n -= cp.Masks[i].Saved
	}
	return n
}

// TailSize is the size of the messages from start on, in the form cp.
func TailSize(v *layout.View, cp *Checkpoint, start int) int {
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

// FoldableTokens is what could be folded or masked at most beyond the form cp.
func FoldableTokens(v *layout.View, cp *Checkpoint) int {
	folded := 0
	if cp != nil {
		folded = cp.Fold
	}
	return v.Before[max(folded, v.Foldable())] - v.Before[folded]
}
