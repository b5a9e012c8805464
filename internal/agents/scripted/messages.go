package scripted

import (
	"net/http"

	"killick/internal/agents/programs"
	"killick/internal/fakemessages"
)

func startMessages(m *Model) (*Upstream, error) {
	s, err := fakemessages.Start(fakemessages.Config{
		Record: true,
		Think:  func(*fakemessages.Request) string { return thought },
		Reply: func(r *fakemessages.Request) fakemessages.Reply {
			a, err := readAsk(programs.FormatMessages, r.Body)
			if err != nil {
				return fakemessages.Reply{Status: http.StatusInternalServerError}
			}
			answer := m.answer(a)
			var reply fakemessages.Reply
			if answer.text != "" {
				reply.Blocks = append(reply.Blocks, fakemessages.Text(answer.text))
			}
			for _, c := range answer.calls {
				reply.Blocks = append(reply.Blocks, fakemessages.Call(c.ID, c.Name, c.Arguments))
			}
			return reply
		},
	})
	if err != nil {
		return nil, err
	}
	return &Upstream{Base: s.URL(), Close: s.Close,
		All: allOf(s.Requests, func(r fakemessages.Recorded) *Request {
			rec := &Request{Recorded: r.Recorded, Tokens: r.Usage.Prompt(),
				Cached: r.Usage.CacheReadTokens, Prefix: r.ByPrefix, Refused: r.Refused}
			return rec.read(programs.FormatMessages, "/messages",
				":streamRawPredict",            // on Vertex AI
				"/invoke-with-response-stream") // on Bedrock
		})}, nil
}
