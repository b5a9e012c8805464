// Package model makes Killick's own calls to language models: it asks for statements about
// the turns that a record replaces, for the verification of those statements, for
// questions about the turns, for answers from the record alone, and for grades of these
// answers. Package prompt writes the prompts, endpoint makes the requests, schema reads the
// answers.
//
// There are two ways to ask. Append calls the client's own model with the client's own
// key: with the body that was last forwarded, byte for byte, and one instruction after its
// messages, so that nearly all of the input is read from the provider's prompt cache.
// Standalone calls a model of the operator's choosing with the turns as fenced, numbered
// data, split into pieces if they exceed its window. Only statements and questions read the
// turns; verification, answers and grades are small calls that only see what they judge.
//
// If an answer does not have the required shape, one corrective retry names its defects;
// then the task has failed.
//
// The package only checks shapes: whether a quote is in the conversation, and whether a
// statement is true, is checked by package probe and a verifying model. It never decides
// what is compacted, never stores anything and starts no goroutine. Its errors contain no
// credential, no prompt, no answer and no body of an endpoint's error.
package model
