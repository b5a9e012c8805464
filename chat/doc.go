// Package chat is the wire format of OpenAI-compatible chat completions: a
// lossless view of a request over its raw bytes, its messages and the groups of
// them that belong together, the splice that makes a new body from slices of the
// old one, the events of a streamed reply, and the error shape.
//
// It never decodes a body to encode it again: what was not changed on purpose
// keeps its bytes, whatever their spelling. It never decides what to change, and
// it imports the standard library alone. Its JSON scanner is its own because the
// view needs offsets, a bound on nesting and one pass over the body; what it
// accepts is what encoding/json accepts.
package chat
