// Package probe checks what a model wrote about turns that a record replaces: which of its
// statements are based on words in the turns (grounding: Locate, Ground), and how well
// questions about the turns can be answered from what it wrote (the quiz: Accept, Grade).
// It chooses what a model that verifies statements sees (Conversation, WithControls).
// How much of the turns' structured facts a record covers is counted where records are
// made, in package compactor.
//
// It works in any language: it compares quotes, typed values and the letters of words,
// and has no word lists and no rules about the meaning of sentences. So it never decides
// that a statement is true: a false one in the conversation's own words, beside a true
// quote, is grounded, and only a verifying model can find it (Verified).
//
// The package never calls a model, never sees HTTP and never quotes a conversation in an
// error.
package probe
