// Package chat implements the wire format of OpenAI-compatible chat completions: a lossless view of
// a request over its raw bytes, the groups of messages that belong together, the splice that makes
// a new body from slices of the old one, the events of a streamed reply, and the error shape.
//
// It never decodes a body and encodes it again: what was not changed on purpose keeps its bytes,
// whatever their spelling. It never decides what to change, and imports only the standard library.
// It has its own JSON scanner because the view needs offsets, a limit on nesting and a single pass
// over the body; it accepts exactly what encoding/json accepts.
package chat
