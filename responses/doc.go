// Package responses is the wire format of OpenAI's Responses API: how the items of a request's
// input are read into a view, and what this API has besides: reasoning that another organization
// cannot read, and compaction by the server.
//
// The items of one turn of the model's are one message of the view: its reasoning, its messages
// and its calls. So a turn is decided about as in every other format, and reasoning stays with
// what it must be followed by. Member names and item types are those of openai-go v3.96.0
// (ResponseInputItemUnionParam), which is generated from OpenAI's specification.
//
// It never decides what to change and never decodes a body and encodes it again.
package responses
