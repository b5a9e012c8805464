// Package responses is the wire format of OpenAI's Responses API: how the items of a request's
// input are read into a view, and two things that only this API has: reasoning that another
// organization cannot read, and compaction by the server.
//
// The items of one turn of the model are one message of the view: its reasoning, its messages and
// its calls. So turns are treated as in every other format, and reasoning stays with the items that
// must follow it. Member names and item types are those of openai-go v3.96.0
// (ResponseInputItemUnionParam), which is generated from OpenAI's specification.
//
// It never decides what to change and never decodes a body and encodes it again.
package responses
