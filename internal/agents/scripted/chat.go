package scripted

import (
	"net/http"
	"strings"

	"killick/internal/agents/programs"
	"killick/internal/fakeupstream"
	"killick/view"
)

func startChat(m *Model) (*Upstream, error) {
	s, err := fakeupstream.Start(fakeupstream.Config{
		Record: true,
		Reply: func(r *view.Request) fakeupstream.Reply {
			a, err := readAsk(programs.FormatChat, r.Raw())
			if err != nil {
				return fakeupstream.Reply{Status: http.StatusInternalServerError}
			}
			answer := m.answer(a)
			reply := fakeupstream.Reply{Content: answer.text}
			for _, c := range answer.calls {
				reply.ToolCalls = append(reply.ToolCalls, fakeupstream.ToolCall{ID: c.ID,
					Name: c.Name, Arguments: c.Arguments, Custom: c.Custom})
			}
			return reply
		},
	})
	if err != nil {
		return nil, err
	}
	return &Upstream{Base: strings.TrimSuffix(s.URL(), "/v1"), Close: s.Close,
		All: allOf(s.Requests, func(r fakeupstream.Recorded) *Request {
			rec := &Request{Recorded: r.Recorded, Tokens: r.Usage.PromptTokens,
				Cached: r.Usage.CachedTokens, Prefix: r.Usage.CachedTokens}
			return rec.read(programs.FormatChat, "/chat/completions")
		})}, nil
}
