package fold

import "errors"

// Why a fold is not used.
var (
	ErrNothing  = errors.New("nothing more can be folded")
	ErrNoGain   = errors.New("no worthwhile gain")
	ErrCoverage = errors.New("the record has too little of what it replaces")
	ErrPins     = errors.New("the pinned messages do not fit")
)
