package main

import (
	"encoding/json"
	"strings"

	"killick/internal/fakeconverse"
	"killick/internal/fakeserver"
)

// readConverse reads the messages of a request for Bedrock's Converse.
func (a *ask) readConverse(messages []json.RawMessage) {
	for i, raw := range messages {
		var m fakeconverse.Message
		_ = json.Unmarshal(raw, &m) // a message of another shape says nothing
		a.items = append(a.items, withoutMarks(raw))
		if m.Role == "assistant" {
			clear(a.results)
			continue
		}
		for _, block := range m.Content {
			switch {
			case block.Point != nil:
				a.marks++
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
func startConverse(m *model) (*upstream, error) {
	claude := strings.Contains(m.agent.model, "claude")
	s := fakeconverse.New(fakeconverse.Config{
		Record: true, Binds: claude, Separate: !claude,
		Reply: func(r *fakeconverse.Request) (blocks []fakeconverse.Block) {
			a, err := readAsk(formatConverse, r.Body)
			if err != nil {
				return nil
			}
			answer := m.answer(a)
			if answer.text != "" {
				blocks = append(blocks, fakeconverse.Block{Text: &answer.text})
			}
			for _, c := range answer.calls {
				blocks = append(blocks, fakeconverse.Block{Call: &fakeconverse.Call{
					ID: c.id, Name: c.name, Input: json.RawMessage(c.arguments)}})
			}
			return blocks
		},
	})
	return &upstream{base: s.URL(), close: s.Close,
		all: allOf(s.Requests, func(r fakeserver.Recorded) *recorded {
			found, _ := r.Note.(fakeconverse.Found)
			rec := &recorded{Recorded: r, tokens: found.Prompt(), cached: found.CacheRead,
				prefix: found.ByPrefix, refused: found.Refused}
			return rec.read(formatConverse, "/converse-stream", "/converse")
		})}, nil
}
