// Package transcript is the only reader of conversations. It finds out who said what (see
// transcript/speech), which calls were made with which arguments, how they ended (see
// transcript/results), and the state of the todo list.
//
// All of it follows from the structure of messages, calls and results, in any language, and from
// tables of what known clients write, each with its source. It never guesses from the wording of
// prose: what cannot be known is reported as unknown. It never changes a message, counts tokens or
// decides what is kept.
package transcript
