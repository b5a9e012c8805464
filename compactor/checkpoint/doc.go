// Package checkpoint defines the form that a conversation is sent in: which messages are
// masked, which are replaced by records, and the records themselves. It encodes such a
// form, decodes it, and renders a request in it by splicing.
//
// It never decides which form that is, and never changes a byte of a message that
// stays.
package checkpoint
