// Package results reads the results of calls: how a call ended, in which session its command goes
// on, and what it printed without the lines that agents write around an output.
//
// The forms are those of known agents, each with its source; a form is only read where its agent
// writes it. It knows of a call what [Call] has, never reads arguments or other messages, and never
// changes a result.
package results
