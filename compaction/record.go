package compaction

import "errors"

// Record is a record of a whole conversation, for a client that asks for one.
type Record struct {
	Text  string
	Input int // tokens of the conversation as received
	Size  int // tokens of Text
	// FailOpens are the faults after which it was made anyway.
	FailOpens []FailOpen
}

// ErrNothing is the error if a conversation has no turns to make a record of.
var ErrNothing = errors.New("the conversation has no turns to make a record of")
