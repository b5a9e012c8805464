// Package layout lays a conversation out for decisions: the messages after the leading
// instructions, what each costs, and which of them belong together.
//
// It never changes a message and knows nothing of forms.
package layout
