// Package summary makes the record that replaces folded turns: as data, section by section, and as
// the text that a model sees.
//
// A record has two kinds of lines. Quotes are words of the conversation, verbatim except for marked
// cuts, each with its speaker and message number. Facts follow from the structure of calls and
// results: which call was made, with which arguments, how it ended by its own status, how often and
// when. No line states a guess from wording. Text that a model wrote is in a separate section,
// whose heading says so.
//
// The packages below it: excerpt makes external text safe and cuts it, and all such text enters a
// record through it; describe names a call; quotes reads the conversation; names keeps the index
// of names. This package reads what calls did, merges and renders. Each section has a file;
// sections.go orders them, and fit.go fits them into their room.
//
// It reads messages only through package transcript. It never decides what is folded, counts tokens
// or calls a model.
package summary
