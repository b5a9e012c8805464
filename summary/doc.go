// Package summary makes the record that replaces folded turns: their contents as far as structure
// shows them, section by section, and the text that a model sees.
//
// A record holds two kinds of lines. Quotes are words of the conversation, verbatim except for
// marked cuts, each with its speaker and message number. Facts follow from the structure of calls
// and results: which call, with which arguments, how it ended by its own status, how often and
// when. No line states a guess from wording. Text written by a model, if any, is in a section of
// its own that says so.
//
// It reads messages only through package transcript. It never decides what is folded, counts tokens
// or calls a model. All text from outside enters a record through line or block.
package summary
