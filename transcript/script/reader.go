package script

import "github.com/tdewolff/parse/v2/js"

// reader has what was read of a program, statement by statement at its top level.
type reader struct {
	tools, text *js.Var
	known       map[*js.Var]value // of constants

	calls       []Call
	prints      []Print
	printed     int // mentions of the function that prints
	otherOutput bool

	plain   bool // only calls can have failed so far
	refused bool // the program is not read
	static  int  // bytes of static values so far
}

// mayFail records that something other than a call can fail here.
func (r *reader) mayFail() { r.plain = false }
