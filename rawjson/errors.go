package rawjson

import "errors"

// The errors of walks and Skip.
var (
	ErrSyntax = errors.New("invalid JSON")
	// ErrTooDeep is returned for JSON nested deeper than 10,000 levels.
	ErrTooDeep = errors.New("JSON nested deeper than 10000 levels")
)

// ErrStop is for callbacks: it ends a walk early.
var ErrStop = errors.New("stop")
