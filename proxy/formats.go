package proxy

import (
	"bytes"
	"errors"

	"killick/chat"
	"killick/compaction"
	"killick/proxy/format"
)

// wireFormat is what the walk asks of the wire format of a request. Nothing else in the walk
// depends on one.
type wireFormat struct {
	// format says how errors look, where usage is stated and which events of a stream say
	// nothing yet: package format has them.
	format format.Format
	// streams says that replies are read for their usage and copied through small buffers.
	streams bool
	// parse reads a decoded body for the Compactor; who is whose it is. If nil, requests are
	// forwarded and not compacted: none of what follows is called then.
	parse func(p *chat.Parser, who string, body []byte) (*chat.Request, error)
	// unparsable says in fixed words why parse failed.
	unparsable func(error) compaction.Reason
	// model returns the model that a decoded body names, "" if none can be read.
	model func(body []byte) string
}

// wireFormats are the formats by class. What is in no format of a conversation is passed through.
var wireFormats = map[class]*wireFormat{
	classChat: {
		format: format.Chat, streams: true,
		parse: (*chat.Parser).Parse, unparsable: unparsableChat, model: chatModel,
	},
	classMessages:  {format: format.Messages, streams: true, model: anyModel},
	classResponses: {format: format.Responses, streams: true, model: anyModel},
	classPass:      {format: format.Other, model: anyModel},
}

// compacts reports whether requests of the format are shown to the Compactor.
func (w *wireFormat) compacts() bool { return w.parse != nil }

// chatModel returns the model that a chat request names.
func chatModel(body []byte) string {
	if model := chat.PeekModel(body); model != nil {
		return model.Text()
	}
	req, err := chat.Parse(body)
	if err != nil {
		return ""
	}
	return req.Model()
}

// anyModel returns the model that a body names in the member where most formats have it.
func anyModel(body []byte) string {
	if model := chat.PeekModel(body); model != nil {
		return model.Text()
	}
	return chat.Value(bytes.TrimLeft(body, " \t\r\n")).Get("model").Text()
}

func unparsableChat(err error) compaction.Reason {
	switch {
	case errors.Is(err, chat.ErrNotJSON):
		return "not JSON"
	case errors.Is(err, chat.ErrNoMessages):
		return "no messages"
	case errors.Is(err, chat.ErrTwice):
		return "a member given twice"
	case errors.Is(err, chat.ErrTooDeep):
		return "nested too deeply"
	}
	return "not a chat request"
}
