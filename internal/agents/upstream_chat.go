package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"killick/internal/fakeollama"
	"killick/internal/fakeserver"
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

// startOllama starts a scripted Ollama. A request of which it drops messages counts as refused: the
// client would not be told.
func startOllama(m *model) *upstream {
	s := fakeollama.New(fakeollama.Config{
		Record: true,
		Reply: func(r *fakeollama.Request) (reply fakeollama.Message) {
			a, err := readAsk(formatOllama, r.Body)
			if err != nil {
				return reply
			}
			answer := m.answer(a)
			reply.Content, reply.Thinking = answer.text, thought
			for i, c := range answer.calls {
				reply.ToolCalls = append(reply.ToolCalls, fakeollama.Call{ID: c.id,
					Function: fakeollama.Function{Index: i, Name: c.name,
						Arguments: json.RawMessage(c.arguments)}})
			}
			return reply
		},
	})
	return &upstream{base: s.URL(), close: s.Close,
		all: allOf(s.Requests, func(r fakeserver.Recorded) *recorded {
			found, _ := r.Note.(fakeollama.Found)
			rec := &recorded{Recorded: r, tokens: found.Tokens, cached: found.Held,
				prefix: found.Held, refused: found.Refused}
			if found.Dropped > 0 {
				rec.refused = fmt.Sprintf("%d messages were dropped", found.Dropped)
			}
			return rec.read(formatOllama, "/api/chat")
		})}
}
