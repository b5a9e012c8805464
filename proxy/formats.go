package proxy

import (
	"bytes"
	"errors"
	"net/url"

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

// class is how a request is handled. Its text is a metric label and is logged, unlike paths:
// clients put keys into those.
type class string

const (
	classChat      class = "chat" // the pipeline
	classMessages  class = "messages"
	classResponses class = "responses"
	classGemini    class = "gemini"
	classAssist    class = "code_assist" // generateContent in a member of the body
	classVertex    class = "vertex"      // Claude on Vertex AI: the Messages API, but for the path
	classBedrock   class = "bedrock"     // Claude on Bedrock: likewise, and streams are in frames
	classConverse  class = "converse"    // any model on Bedrock; its streams are in frames too
	classOllama    class = "ollama"      // its own chat; its streams are lines of JSON
	classCompress  class = "compress"    // messages that a gateway sends to a model itself
	classPass      class = "pass"        // forwarded, streamed both ways
	classOwn       class = "own"         // answered here
)

// wireFormat is what request handling needs of a request's wire format. Nothing else in it depends
// on the format.
type wireFormat struct {
	// format has the shape of errors, where usage is reported, and which events of a stream carry
	// no content yet; see package format.
	format format.Format
	// streams means that replies are read for their usage and copied through small buffers.
	streams bool
	// view reads a decoded body for the Compactor. If nil, requests are forwarded and not
	// compacted.
	view view.Format
	// ours means that rejected reasoning is only handled if we changed the request. Otherwise the
	// client's own request is also sent again without its reasoning.
	ours bool
	// inPath: the path names the model, and the body does not.
	inPath bool
	// clientOnly: no request of ours goes to the client's address, since its path says how a
	// request is answered, or our own calls do not know the format.
	clientOnly bool
	// member is in every request of the format, where the path does not tell the format. If empty,
	// it does.
	member string
	// inFrames: streams are no server-sent events, so that no call in them can be answered here.
	inFrames bool
}

// wireFormats are the formats by class. Requests in no conversation format are passed through.
var wireFormats = map[class]*wireFormat{
	classChat: {format: format.Chat, streams: true, view: chat.Format, ours: true},
	classMessages: {
		format: format.Messages, streams: true, view: messages.Format, ours: true,
	},
	classResponses: {format: format.Responses, streams: true, view: responses.Format},
	classGemini: {
		format: format.Gemini, streams: true, view: gemini.Format, inPath: true, clientOnly: true,
	},
	classAssist: {format: format.Gemini, streams: true, view: gemini.CodeAssist, clientOnly: true},
	classVertex: {
		format: format.Messages, streams: true, view: messages.Format, ours: true, inPath: true,
		clientOnly: true,
	},
	classBedrock: {
		format: format.Messages, streams: true, view: messages.Format, ours: true, inPath: true,
		clientOnly: true, member: "anthropic_version", inFrames: true,
	},
	classConverse: {
		format: format.Converse, streams: true, view: converse.Format, ours: true, inPath: true,
		clientOnly: true, inFrames: true,
	},
	classOllama: {
		format: format.Ollama, streams: true, view: chat.Ollama, ours: true, clientOnly: true,
		inFrames: true,
	},
	classCompress: {format: format.Chat, view: chat.Format},
	classPass:     {format: format.Other},
}

// compacts reports whether requests of the format go to the Compactor.
func (w *wireFormat) compacts() bool { return w.view != nil }

// model returns the model in the member that most formats use, "" if it cannot be read.
func (w *wireFormat) model(body []byte) string {
	if model := view.PeekModel(body); model != nil {
		return model.Text()
	}
	if w.view == nil {
		return rawjson.Value(bytes.TrimLeft(body, " \t\r\n")).Get("model").Text()
	}
	req, err := view.Parse(w.view, body)
	if err != nil {
		return ""
	}
	return req.Model()
}

// pathModel returns the model that the path names, "" if the body names it.
func (x *exchange) pathModel() string {
	if !x.wire.inPath {
		return ""
	}
	model, err := url.PathUnescape(format.PathModel(x.asked))
	if err != nil {
		return ""
	}
	return model
}

// unparsable returns, as a fixed word, why a body has no view.
func unparsable(err error) compaction.Reason {
	switch {
	case errors.Is(err, view.ErrNotJSON):
		return notJSON
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
	return otherFormat
}

// Reasons to leave a body as it is.
const (
	notJSON     compaction.Reason = "not JSON"
	otherFormat compaction.Reason = "not a request of its format" // as its path says
)
