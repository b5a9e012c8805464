// Package class has the classes of requests, and what handling a request needs of its wire format.
//
// It never sees a request: the routes decide which class a path has.
package class

import (
	"bytes"
	"errors"

	"killick/chat"
	"killick/compaction"
	"killick/converse"
	"killick/gemini"
	"killick/messages"
	"killick/proxy/format"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

// Class is how a request is handled. Its text is a metric label and is logged, unlike paths:
// clients put keys into those.
type Class string

// The classes: those of conversation formats, and how other requests are handled.
const (
	Chat      Class = "chat" // the pipeline
	Messages  Class = "messages"
	Responses Class = "responses"
	Gemini    Class = "gemini"
	Assist    Class = "code_assist" // generateContent in a member of the body
	Vertex    Class = "vertex"      // Claude on Vertex AI: the Messages API, but for the path
	Bedrock   Class = "bedrock"     // Claude on Bedrock: likewise, and streams are in frames
	Converse  Class = "converse"    // any model on Bedrock; its streams are in frames too
	Ollama    Class = "ollama"      // its own chat; its streams are lines of JSON
	Compress  Class = "compress"    // messages that a gateway sends to a model itself
	Pass      Class = "pass"        // forwarded, streamed both ways
	Own       Class = "own"         // answered here
)

// Format is what request handling needs of a request's wire format. Nothing else in it depends
// on the format.
type Format struct {
	// Format has the shape of errors, where usage is reported, and which events of a stream carry
	// no content yet; see package format.
	Format format.Format
	// Streams means that replies are read for their usage and copied through small buffers.
	Streams bool
	// View reads a decoded body for the Compactor. If nil, requests are forwarded and not
	// compacted.
	View view.Format
	// Ours means that rejected reasoning is only handled if we changed the request. Otherwise the
	// client's own request is also sent again without its reasoning.
	Ours bool
	// InPath: the path names the model, and the body does not.
	InPath bool
	// ClientOnly: no request of ours goes to the client's address, since its path says how a
	// request is answered, or our own calls do not know the format.
	ClientOnly bool
	// Member is a member that every request of the format has, if the path alone does not show the
	// format. If empty, the path does.
	Member string
	// InFrames: streams are not server-sent events, so no call in them can be answered here.
	InFrames bool
}

// Formats are the formats by class. Requests in no conversation format are passed through.
var Formats = map[Class]*Format{
	Chat: {Format: format.Chat, Streams: true, View: chat.Format, Ours: true},
	Messages: {
		Format: format.Messages, Streams: true, View: messages.Format, Ours: true,
	},
	Responses: {Format: format.Responses, Streams: true, View: responses.Format},
	Gemini: {
		Format: format.Gemini, Streams: true, View: gemini.Format, InPath: true, ClientOnly: true,
	},
	Assist: {Format: format.Gemini, Streams: true, View: gemini.CodeAssist, ClientOnly: true},
	Vertex: {
		Format: format.Messages, Streams: true, View: messages.Format, Ours: true, InPath: true,
		ClientOnly: true,
	},
	Bedrock: {
		Format: format.Messages, Streams: true, View: messages.Format, Ours: true, InPath: true,
		ClientOnly: true, Member: "anthropic_version", InFrames: true,
	},
	Converse: {
		Format: format.Converse, Streams: true, View: converse.Format, Ours: true, InPath: true,
		ClientOnly: true, InFrames: true,
	},
	Ollama: {
		Format: format.Ollama, Streams: true, View: chat.Ollama, Ours: true, ClientOnly: true,
		InFrames: true,
	},
	Compress: {Format: format.Chat, View: chat.Format},
	Pass:     {Format: format.Other},
}

// Compacts reports whether requests of the format go to the Compactor.
func (f *Format) Compacts() bool { return f.View != nil }

// Model returns the model in the member that most formats use, "" if it cannot be read.
func (f *Format) Model(body []byte) string {
	if model := view.PeekModel(body); model != nil {
		return model.Text()
	}
	if f.View == nil {
		return rawjson.Value(bytes.TrimLeft(body, " \t\r\n")).Get("model").Text()
	}
	req, err := view.Parse(f.View, body)
	if err != nil {
		return ""
	}
	return req.Model()
}

// Unparsable returns, as a fixed word, why a body has no view.
func Unparsable(err error) compaction.Reason {
	switch {
	case errors.Is(err, view.ErrNotJSON):
		return NotJSON
	case errors.Is(err, view.ErrNoMessages):
		return "no messages"
	case errors.Is(err, view.ErrDuplicate):
		return "a duplicate member"
	case errors.Is(err, view.ErrTooLarge):
		return "larger than 2 GiB"
	case errors.Is(err, view.ErrTooMany):
		return "more than 100,000 messages"
	case errors.Is(err, rawjson.ErrTooDeep):
		return "nested too deeply"
	}
	return OtherFormat
}

// Reasons to leave a body as it is.
const (
	NotJSON     compaction.Reason = "not JSON"
	OtherFormat compaction.Reason = "not a request of its format" // as its path says
)
