package scripted

import (
	"encoding/json"
	"fmt"

	"killick/internal/agents/programs"
	"killick/internal/fakeollama"
	"killick/internal/fakeserver"
)

// startOllama starts a scripted Ollama. A request of which it drops messages counts as refused: the
// client would not be told.
func startOllama(m *Model) *Upstream {
	s := fakeollama.New(fakeollama.Config{
		Record: true,
		Reply: func(r *fakeollama.Request) (reply fakeollama.Message) {
			a, err := readAsk(programs.FormatOllama, r.Body)
			if err != nil {
				return reply
			}
			answer := m.answer(a)
			reply.Content, reply.Thinking = answer.text, thought
			for i, c := range answer.calls {
				reply.ToolCalls = append(reply.ToolCalls, fakeollama.Call{ID: c.ID,
					Function: fakeollama.Function{Index: i, Name: c.Name,
						Arguments: json.RawMessage(c.Arguments)}})
			}
			return reply
		},
	})
	return &Upstream{Base: s.URL(), Close: s.Close,
		All: allOf(s.Requests, func(r fakeserver.Recorded) *Request {
			found, _ := r.Note.(fakeollama.Found)
			rec := &Request{Recorded: r, Tokens: found.Tokens, Cached: found.Held,
				Prefix: found.Held, Refused: found.Refused}
			if found.Dropped > 0 {
				rec.Refused = fmt.Sprintf("%d messages were dropped", found.Dropped)
			}
			return rec.read(programs.FormatOllama, "/api/chat")
		})}
}
