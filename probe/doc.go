// Package probe measures what can be proven of what a model writes about turns that a
// record takes the place of: which of its statements rest on words that stand in the
// turns (grounding), and how well questions about the turns are answered from what it
// wrote (the quiz). How much of what the turns hold by structure a record covers is
// counted where records are made, in package compactor.
//
// It works in any language: it compares quotes, typed values and the letters of
// words, and has no list of words and no rule about what a sentence means. So it
// never says that a statement is true. A false one in the conversation's own words,
// beside a true quote, passes the grounding; to find it is the task of a model that
// verifies. The package calls no model, sees no HTTP and puts nothing of a
// conversation into an error.
package probe
