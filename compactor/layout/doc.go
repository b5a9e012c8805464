// Package layout lays out a conversation for decisions: the messages after the leading
// instructions, their sizes, and which of them belong together.
//
// It never changes a message and knows nothing about forms.
package layout
