package script

import "unsafe"

// Limits on programs. A program that exceeds one of them is not read at all.
const (
	maxSource = 128 << 10 // bytes of a program
	maxCalls  = 128
	maxPrints = 1024
	maxStatic = 4 * maxSource // bytes of all static strings and objects
)

// Program describes a program.
type Program struct {
	Calls []Call // in the order in which they are made
	// Complete is set if the program makes no other calls of tools.
	Complete bool
	// Texts are the texts that the program spells out, if it is not complete.
	Texts []string
	// Plain is set if only calls can make the program fail.
	Plain bool
	// Prints are the texts that the program prints, in order, if Printed is set. They include empty
	// texts, except those that the program spells out.
	Prints  []Print
	Printed bool
}

// Bytes returns about how many bytes the program takes.
func (p *Program) Bytes() int64 {
	n := 0
	for i := range p.Calls {
		c := &p.Calls[i]
		n += int(unsafe.Sizeof(*c)) + len(c.Name) + len(c.Arguments)
	}
	for _, text := range p.Texts {
		n += int(unsafe.Sizeof(text)) + len(text)
	}
	for _, print := range p.Prints {
		n += int(unsafe.Sizeof(print)) + len(print.Member)
	}
	return int64(n)
}

// Call is a call that is made, and succeeds, exactly once whenever the program reaches its end.
type Call struct {
	Name      string
	Arguments string // a text, or JSON
}

// Print is a text that a program prints.
type Print struct {
	Call   int    // the index of the call whose value is printed; -1 for anything else
	Member string // the member of the value that is printed, "" for the whole value
	JSON   bool   // the value is printed as JSON, even if it is a text
}
