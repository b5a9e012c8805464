// Package summary makes the record that stands in for folded turns: what they hold
// by structure, section by section, and the text in which a model is shown it.
//
// A record holds two kinds of lines. Quotes are words of the conversation, verbatim
// but for marked cuts, each with who said it and in which message. Facts follow from
// the structure of calls and results: which call, with which arguments, how it ended
// by its own status, how often and when. No line states what was guessed from
// wording. What a model wrote, if one did, stands apart and says so.
//
// It reads messages through package transcript alone. It never decides what is
// folded, never counts tokens, calls no model, and everything from outside enters a
// record through line or block.
package summary
