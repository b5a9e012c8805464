// Package probe checks what a model wrote about turns that a record replaces: which of its
// statements rest on words that stand in the turns (grounding: Locate, Ground), and how
// well questions about the turns are answered from what it wrote (the quiz: Accept,
// Grade). How much of what the turns hold by structure a record covers is counted where
// records are made, in package compactor.
//
// It works in any language: it compares quotes, typed values and the letters of words,
// and has no list of words and no rule about what a sentence means. So it never says that
// a statement is true: a false one in the conversation's own words, beside a true quote,
// is grounded, and only a model that verifies can find it (Verified).
//
// The package never calls a model, sees no HTTP and puts nothing of a conversation into
// an error.
package probe
