// Package history reads what a conversation holds beyond the form that it has so far:
// its calls and their statuses, which outputs may be needed again, and how far it may
// be folded.
//
// It never makes a form.
package history
