// Package messages is the wire format of Anthropic's Messages API: how the messages of a request
// are read into a view, what the API demands of a changed conversation, and where marks for its
// prompt cache are placed.
//
// A user message that carries tool results is several messages of the view, one for each result and
// one for each run of other blocks. So each result can be masked on its own, as in every format.
//
// It never decides what to change and never decodes a body and encodes it again.
package messages
