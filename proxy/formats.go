package proxy

import (
	"bytes"
	"errors"

	"killick/chat"
	"killick/compaction"
	"killick/messages"
	"killick/proxy/format"
	"killick/rawjson"
	"killick/responses"
	"killick/view"
)

// wireFormat is what the walk asks of the wire format of a request. Nothing else in the walk
// depends on one.
type wireFormat struct {
	// format says how errors look, where usage is stated and which events of a stream say
	// nothing yet: package format has them.
	format format.Format
	// streams says that replies are read for their usage and copied through small buffers.
	streams bool
	// view reads a decoded body for the Compactor. If nil, requests are forwarded and not
	// compacted.
	view view.Format
	// ours says that a refusal of reasoning is only ours to mend where the request was changed.
	// Else the client's own request is sent again without its reasoning too.
	ours bool
}

// wireFormats are the formats by class. What is in no format of a conversation is passed through.
var wireFormats = map[class]*wireFormat{
	classChat: {format: format.Chat, streams: true, view: chat.Format},
	classMessages: {
		format: format.Messages, streams: true, view: messages.Format, ours: true,
	},
	classResponses: {format: format.Responses, streams: true, view: responses.Format},
	classPass:      {format: format.Other},
}

// compacts reports whether requests of the format are shown to the Compactor.
func (w *wireFormat) compacts() bool { return w.view != nil }

// model returns the model that a body names in the member where most formats have it, "" if it
// cannot be read.
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

// unparsable says in fixed words why a body has no view.
func unparsable(err error) compaction.Reason {
	switch {
	case errors.Is(err, view.ErrNotJSON):
		return "not JSON"
	case errors.Is(err, view.ErrNoMessages):
		return "no messages"
	case errors.Is(err, view.ErrTwice):
		return "a member given twice"
	case errors.Is(err, view.ErrTooLarge):
		return "larger than 2 GiB"
	case errors.Is(err, rawjson.ErrTooDeep):
		return "nested too deeply"
	}
	return "not a request of its format"
}
