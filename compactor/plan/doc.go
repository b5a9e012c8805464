// Package plan chooses the form that a conversation is sent in: its present form, one with
// more outputs masked, or one with more turns folded. A decision is a pure function of sizes
// and expected costs.
//
// It never sees a message, never makes a form and does no I/O: the caller makes the forms
// that [Plan.Next] asks for and offers them.
package plan
