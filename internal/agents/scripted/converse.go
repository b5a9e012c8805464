package scripted

import (
	"encoding/json"
	"strings"

	"killick/internal/agents/programs"
	"killick/internal/fakeconverse"
	"killick/internal/fakeserver"
)

// readConverse reads the messages of a request for Bedrock's Converse.
func (a *Ask) readConverse(messages []json.RawMessage) {
	for i, raw := range messages {
		var m fakeconverse.Message
		_ = json.Unmarshal(raw, &m) // a message of another shape says nothing
		a.Items = append(a.Items, withoutMarks(raw))
		if m.Role == "assistant" {
			clear(a.results)
			continue
		}
		for _, block := range m.Content {
			switch {
			case block.Point != nil:
				a.Marks++
			case block.Text != nil:
				a.user(*block.Text, i == len(messages)-1)
			case block.Result != nil:
				a.result(block.Result.ID, converseText(block.Result.Content))
			}
		}
	}
}

// converseText returns the text of a result: of each of its parts, or the JSON of one that has no
// text.
func converseText(parts []json.RawMessage) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		var text struct{ Text string }
		_ = json.Unmarshal(part, &text) // a part of another shape has no text
		if texts[i] = text.Text; text.Text == "" {
			texts[i] = string(part)
		}
	}
	return strings.Join(texts, "\n")
}

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
