// Package messages is the wire format of Anthropic's Messages API: how the messages of a request
// are read into a view, what the API demands of a conversation that is changed, and where its
// prompt cache is to have marks.
//
// A message of the user's that carries results of tools is several messages of the view, one for
// each result and one for each run of other blocks, so that results are decided about one by one,
// as in every format.
//
// It never decides what to change and never decodes a body and encodes it again.
package messages
