// Package model makes Killick's own calls to language models: it asks for statements about
// the turns that a record replaces, for the verification of those statements, for
// questions about the turns, for answers from the record alone, and for grades of these
// answers. Package prompt writes what is asked, endpoint carries it, schema reads what
// comes back.
//
// There are two ways to ask. In append the client's own model is asked with the client's
// own key: the body that was last forwarded, byte for byte, with one instruction behind
// its messages, so that nearly all of the call is read from the provider's prompt cache.
// Standalone asks a model of the operator's choosing and shows it the turns as fenced,
// numbered data, cut into pieces where they exceed its window. Only statements and
// questions read the turns; verification, answers and grades are small calls that see
// nothing of the conversation beside what they judge.
//
// Where an answer has faults of form they are named in one corrective retry; then the
// task has failed.
//
// The package judges form alone: whether a quote stands in the conversation, and whether a
// statement is true, is for package probe and for a model that verifies. It never decides
// what is compacted, never stores anything and starts no goroutine. Its errors hold no
// credential, no prompt, no answer and no body of an endpoint's error.
package model
