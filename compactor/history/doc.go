// Package history reads the part of a conversation that its present form does not fold: its
// calls and their statuses, which outputs may be needed again, and how far it may be folded.
//
// It never makes a form.
package history
