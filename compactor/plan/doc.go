// Package plan decides between the forms that a conversation could be sent in: the
// one that it has, one with more outputs masked, one with more turns folded. A
// decision is a pure function of sizes and of what each form is expected to cost.
//
// It never sees a message, never makes a form and does no I/O: the caller makes the forms
// that [Plan.Next] asks for and offers them.
package plan
