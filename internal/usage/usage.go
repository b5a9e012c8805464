// Package usage marks the errors that are the command line's. It prints nothing.
package usage

// Error is a command line that a command could not make sense of.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }

func (e Error) Unwrap() error { return e.Err }
