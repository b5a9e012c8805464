package scripted

import (
	"encoding/json"
	"strings"

	"killick/internal/agents/programs"
	"killick/internal/fakeconverse"
	"killick/internal/fakeserver"
)

// startConverse starts a scripted Bedrock, whose Claude thinks. Other models want results apart
// from other blocks.
func startConverse(m *Model) (*Upstream, error) {
	claude := strings.Contains(m.Agent.Model, "claude")
	s := fakeconverse.New(fakeconverse.Config{
		Record: true, Binds: claude, Separate: !claude,
		Reply: func(r *fakeconverse.Request) (blocks []fakeconverse.Block) {
			a, err := readAsk(programs.FormatConverse, r.Body)
			if err != nil {
				return nil
			}
			answer := m.answer(a)
			if answer.text != "" {
				blocks = append(blocks, fakeconverse.Block{Text: &answer.text})
			}
			for _, c := range answer.calls {
				blocks = append(blocks, fakeconverse.Block{Call: &fakeconverse.Call{
					ID: c.ID, Name: c.Name, Input: json.RawMessage(c.Arguments)}})
			}
			return blocks
		},
	})
	return &Upstream{Base: s.URL(), Close: s.Close,
		All: allOf(s.Requests, func(r fakeserver.Recorded) *Request {
			found, _ := r.Note.(fakeconverse.Found)
			rec := &Request{Recorded: r, Tokens: found.Prompt(), Cached: found.CacheRead,
				Prefix: found.ByPrefix, Refused: found.Refused}
			return rec.read(programs.FormatConverse, "/converse-stream", "/converse")
		})}, nil
}
