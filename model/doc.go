// Package model makes our own calls to language models, over
// sashabaranov/go-openai: it asks for statements about the turns that a record
// replaces, for the verification of those statements, for questions about the turns,
// for answers from the record alone, and for grades of these answers.
//
// There are two ways to ask. In append the client's own model is asked with the
// client's own key: the body that was last forwarded, byte for byte, with one
// instruction behind its messages, so that nearly all of the call is read from
// the provider's prompt cache. Standalone asks a model of the operator's choosing
// and shows it the turns as fenced, numbered data, cut into pieces where they exceed
// its window. Only statements and questions read the turns; verification, answers
// and grades are small calls that see nothing of the conversation beside what they
// judge.
//
// What a model writes is read tolerantly and then held strictly to a schema. Where
// it has faults they are named in one corrective retry; then the task has failed.
// Only the form is judged here: whether a statement has a quote that stands in the
// conversation, and whether it is true, is the business of whoever asked.
//
// No schema has a member for what the user wants, allows or forbids: that is said
// in the user's own words alone, which need no model.
//
// The package never decides what is compacted, never stores anything, starts no
// goroutine, never follows a redirect with a credential, and never repeats a call
// that failed on its way. Its errors and the reasons that it gives hold no
// credential, no prompt, no answer and no body of an endpoint's error.
package model
