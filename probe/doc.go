// Package probe measures what can be proven of a record that takes the place of
// turns: how much of what the turns hold by structure the record holds (coverage),
// which statements of a model rest on words that stand in the turns (grounding), and
// how well questions about the turns are answered from the record (the quiz).
//
// It works in any language: it compares quotes, typed values and the letters of
// words, and has no list of words and no rule about what a sentence means. So it
// never says that a statement is true. A false one in the conversation's own words,
// beside a true quote, passes the grounding; to find it is the task of a model that
// verifies. The package calls no model, sees no HTTP and puts nothing of a
// conversation into an error.
package probe
