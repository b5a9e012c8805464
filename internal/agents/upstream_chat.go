package main

import (
	"net/http"
	"strings"

	"killick/internal/fakeupstream"
	"killick/view"
)

func startChat(m *model) (*upstream, error) {
	s, err := fakeupstream.Start(fakeupstream.Config{
		Record: true,
		Reply: func(r *view.Request) fakeupstream.Reply {
			a, err := readAsk(formatChat, r.Raw())
			if err != nil {
				return fakeupstream.Reply{Status: http.StatusInternalServerError}
			}
			answer := m.answer(a)
			reply := fakeupstream.Reply{Content: answer.text}
			for _, c := range answer.calls {
				reply.ToolCalls = append(reply.ToolCalls, fakeupstream.ToolCall{ID: c.id,
					Name: c.name, Arguments: c.arguments, Custom: c.custom})
			}
			return reply
		},
	})
	if err != nil {
		return nil, err
	}
	return &upstream{base: strings.TrimSuffix(s.URL(), "/v1"), close: s.Close,
		all: allOf(s.Requests, func(r fakeupstream.Recorded) *recorded {
			rec := &recorded{Recorded: r.Recorded, tokens: r.Usage.PromptTokens,
				cached: r.Usage.CachedTokens, prefix: r.Usage.CachedTokens}
			return rec.read(formatChat, "/chat/completions")
		})}, nil
}
