package scripted

import (
	"bytes"
	"encoding/json"

	"killick/internal/agents/programs"
	"killick/internal/fakegemini"
	"killick/internal/fakeserver"
)

// Gemini CLI (0.61.0) asks another model after 30 turns whether the conversation goes in a loop. It
// repeats the question until it gets this object.
var asksForLoops = []byte(`"unproductive_state_confidence":{"type":"number"`)

const noLoop = `{"unproductive_state_analysis":"It goes on.","unproductive_state_confidence":0}`

func startGemini(m *Model) (*Upstream, error) {
	s := fakegemini.New(fakegemini.Config{
		Record: true, Signs: true,
		Reply: func(r *fakegemini.Request) (parts []fakegemini.Part) {
			a, err := readAsk(programs.FormatGemini, r.Body)
			if err != nil {
				return nil
			}
			answer := m.answer(a)
			if bytes.Contains(r.Body, asksForLoops) {
				answer.text = noLoop
			}
			if answer.text != "" {
				parts = append(parts, fakegemini.Part{Text: &answer.text})
			}
			for _, c := range answer.calls {
				parts = append(parts, fakegemini.Part{Call: &fakegemini.Call{
					ID: c.ID, Name: c.Name, Args: json.RawMessage(c.Arguments)}})
			}
			return parts
		},
	})
	return &Upstream{Base: s.URL(), Close: s.Close,
		All: allOf(s.Requests, func(r fakeserver.Recorded) *Request {
			found, _ := r.Note.(fakegemini.Found)
			rec := &Request{Recorded: r, Tokens: found.Tokens, Refused: found.Refused}
			return rec.read(programs.FormatGemini, ":streamGenerateContent", ":generateContent")
		})}, nil
}
