package scripted

import (
	"encoding/json"
	"net/http"
	"strings"

	"killick/internal/agents/programs"
	"killick/internal/fakeresponses"
)

func startResponses(m *Model) (*Upstream, error) {
	s, err := fakeresponses.Start(fakeresponses.Config{
		Record: true, RefuseUpgrade: true,
		RequirePhase: strings.HasPrefix(m.Agent.Model, "gpt-"), // xAI's API has none
		PlainUsage:   m.Agent.Module == "@openai/agents",
		Reply: func(r *fakeresponses.Request) fakeresponses.Reply {
			body, err := json.Marshal(r.Body)
			if err != nil {
				return fakeresponses.Reply{Status: http.StatusInternalServerError}
			}
			a, err := readAsk(programs.FormatResponses, body)
			if err != nil {
				return fakeresponses.Reply{Status: http.StatusInternalServerError}
			}
			answer := m.answer(a)
			reply := fakeresponses.Reply{Content: answer.text}
			for _, c := range answer.calls {
				item := fakeresponses.Call{ID: c.ID, Name: c.Name, Namespace: c.Namespace,
					Input: c.Arguments}
				switch {
				case c.Custom:
					item.Type = "custom_tool_call"
				case c.Hosted != "":
					item = fakeresponses.Call{ID: c.ID, Type: c.Hosted, Path: c.Path,
						Commands: []string{c.Arguments}, Operation: "update_file",
						Diff: c.Arguments}
				}
				reply.Calls = append(reply.Calls, item)
			}
			return reply
		},
	})
	if err != nil {
		return nil, err
	}
	return &Upstream{Base: strings.TrimSuffix(s.URL(), "/v1"), Close: s.Close,
		All: allOf(s.Requests, func(r fakeresponses.Recorded) *Request {
			rec := &Request{Recorded: r.Recorded, Tokens: r.Usage.Input,
				Cached: r.Usage.Cached, Prefix: r.LongestPrefix}
			return rec.read(programs.FormatResponses, "/responses")
		})}, nil
}
