package fakemessages

import (
	"encoding/json"

	"killick/internal/fakemessages/request"
)

// Reply is what the model answers to one request.
type Reply struct {
	Blocks     []Content
	StopReason string // if empty, "tool_use" with a call and "end_turn" without

	// NoThinking leaves out the thinking that the model would begin with.
	NoThinking bool

	Status int // if not zero, Anthropic's error for it is answered instead

}

// Content is a block of a reply: see Text, Thinking, Redacted, Call and Raw.
type Content struct {
	typ, text string
	id, name  string
	raw       json.RawMessage
}

// Text is a block of text.
func Text(text string) Content { return Content{typ: request.TypeText, text: text} }

// Thinking is a thinking block with a text, signed by the server. The text is left out where the
// model omits it.
func Thinking(text string) Content { return Content{typ: request.TypeThinking, text: text} }

// Redacted is a redacted_thinking block, signed by the server.
func Redacted() Content { return Content{typ: request.TypeRedacted} }

// Call is a call of a tool with an input that is JSON text. If id is empty, it is made of the
// number of the request and the call.
func Call(id, name, input string) Content {
	return Content{typ: request.TypeToolUse, id: id, name: name, raw: json.RawMessage(input)}
}

// Raw is any block, as it is.
func Raw(block string) Content { return Content{raw: json.RawMessage(block)} }
