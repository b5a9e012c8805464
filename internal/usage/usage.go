// Package usage marks errors of the command line, as opposed to errors of the work that a command
// does. It prints nothing.
package usage

// Error is an error of the command line, such as an unknown value of a flag.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }

func (e Error) Unwrap() error { return e.Err }
