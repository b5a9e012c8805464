package groundcheck

import (
	"encoding/json"
	"slices"
)

// item is an item of the Responses API.
type item struct {
	Type, Role, ID string
	Content        json.RawMessage
	Status, Name   string
	Server         string `json:"server_label"`
	Arguments      string
	Output         *string
	Error          json.RawMessage
	Code           string
	Outputs        []struct{ Logs string }
	Action         json.RawMessage
	Queries        json.RawMessage
	Results        []struct{ Filename, Text string }
}

// turns returns the messages of an input: consecutive items of the model are one.
func turns(input []json.RawMessage) (list []*message, err error) {
	for _, raw := range input {
		var it item
		if err := json.Unmarshal(raw, &it); err != nil {
			return nil, err
		}
		if it.Role != "" && it.Role != "assistant" {
			m, err := readMessage(raw)
			if err != nil {
				return nil, err
			}
			list = append(list, m)
			continue
		}
		if n := len(list); n == 0 || list[n-1].role != "assistant" {
			list = append(list, &message{role: "assistant"})
		}
		m := list[len(list)-1]
		m.raw = append(append(m.raw, raw...), ',')
		m.readItem(&it)
	}
	return list, nil
}

// readItem adds an item to a turn of the model.
func (m *message) readItem(it *item) {
	k := &call{caller: m, id: it.ID, hosted: true}
	k.ran.end.failed = it.Status == "failed"
	switch it.Type {
	case "web_search_call":
		var action struct{ Sources []struct{ URL string } }
		_ = json.Unmarshal(it.Action, &action)
		for _, s := range action.Sources {
			k.ran.sources = append(k.ran.sources, source{url: s.URL})
		}
		k.tool, k.args = "web_search", asked(readArguments(string(it.Action)))
	case "file_search_call":
		k.tool, k.args = "file_search", readArguments(`{"queries":`+string(it.Queries)+`}`)
		for _, r := range it.Results {
			k.ran.sources = append(k.ran.sources, source{title: r.Filename})
			k.ran.print(r.Text)
		}
	case "code_interpreter_call":
		k.tool, k.args = "code_interpreter", []argument{{"code", "code", "code", it.Code, true}}
		for _, o := range it.Outputs {
			k.ran.print(o.Logs)
		}
	case "mcp_call":
		k.tool, k.args = it.Server+"."+it.Name, readArguments(it.Arguments)
		if it.Output != nil {
			k.ran.print(*it.Output)
		}
		var failure string
		if json.Unmarshal(it.Error, &failure) == nil && failure != "" {
			k.ran.end.failed, k.ran.text = true, failure
		}
	default:
		m.readSaid(it)
		return
	}
	k.raw = k.decoded()
	m.answer(k)
}

// asked returns the arguments of a search without what was found, and without a query that is one
// of several.
func asked(args []argument) (rest []argument) {
	for _, a := range args {
		again := slices.ContainsFunc(args, func(b argument) bool {
			return a.path == "query" && b.name == "queries" && a.text == b.text
		})
		if a.name != "type" && a.name != "sources" && !again {
			rest = append(rest, a)
		}
	}
	return rest
}

// readSaid adds the text of a message of the model, and what it cites.
func (m *message) readSaid(it *item) {
	m.readContent(it.Content)
	var parts []struct {
		Annotations []struct{ Type, Title, URL, Filename string }
	}
	_ = json.Unmarshal(it.Content, &parts)
	for _, p := range parts {
		for _, a := range p.Annotations {
			switch a.Type {
			case "url_citation":
				m.cited = append(m.cited, source{title: a.Title, url: a.URL})
			case "file_citation", "container_file_citation":
				m.cited = append(m.cited, source{title: a.Filename})
			}
		}
	}
}
