package conversation

import (
	"encoding/json"
	"slices"
	"strings"
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
func turns(input []json.RawMessage) (list []*Message, err error) {
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
		if n := len(list); n == 0 || list[n-1].Role != "assistant" {
			list = append(list, &Message{Role: "assistant"})
		}
		m := list[len(list)-1]
		m.Raw = append(append(m.Raw, raw...), ',')
		m.readItem(&it)
	}
	return list, nil
}

// readItem adds an item to a turn of the model.
func (m *Message) readItem(it *item) {
	k := &Call{Caller: m, ID: it.ID, Hosted: true}
	k.Ran.end.Failed = it.Status == "failed"
	switch it.Type {
	case "web_search_call":
		var action struct{ Sources []struct{ URL string } }
		_ = json.Unmarshal(it.Action, &action)
		for _, s := range action.Sources {
			k.Ran.Sources = append(k.Ran.Sources, Source{URL: s.URL})
		}
		k.Tool, k.Args = "web_search", asked(readArguments(string(it.Action)))
	case "file_search_call":
		k.Tool, k.Args = "file_search", readArguments(`{"queries":`+string(it.Queries)+`}`)
		for _, r := range it.Results {
			k.Ran.Sources = append(k.Ran.Sources, Source{Title: r.Filename})
			k.Ran.print(r.Text)
		}
	case "code_interpreter_call":
		k.Tool, k.Args = "code_interpreter", []Argument{{"code", "code", "code", it.Code, true}}
		for _, o := range it.Outputs {
			k.Ran.print(o.Logs)
		}
	case "mcp_call":
		k.Tool, k.Args = it.Server+"."+it.Name, readArguments(it.Arguments)
		if it.Output != nil {
			k.Ran.print(*it.Output)
		}
		if failure, failed := failureOf(it.Error); failed {
			k.Ran.end.Failed, k.Ran.Text = true, failure
		}
	default:
		m.readSaid(it)
		return
	}
	k.raw = k.Decoded()
	m.answer(k)
}

// failureOf returns the text of the error of a call of MCP, and whether there is one.
func failureOf(raw json.RawMessage) (text string, failed bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, text != ""
	}
	var object struct {
		Message string
		Content []struct{ Text string }
	}
	if json.Unmarshal(raw, &object) != nil {
		return "", false
	}
	var parts []string
	for _, p := range object.Content {
		if p.Text != "" {
			parts = append(parts, p.Text)
		}
	}
	if len(parts) > 0 {
		return strings.Join(parts, "\n"), true
	}
	return object.Message, true
}

// asked returns the arguments of a search without what was found, and without a query that is one
// of several.
func asked(args []Argument) (rest []Argument) {
	for _, a := range args {
		again := slices.ContainsFunc(args, func(b Argument) bool {
			return a.Path == "query" && b.Name == "queries" && a.Text == b.Text
		})
		if a.Name != "type" && a.Name != "sources" && !again {
			rest = append(rest, a)
		}
	}
	return rest
}

// readSaid adds the text of a message of the model, and what it cites.
func (m *Message) readSaid(it *item) {
	m.readContent(it.Content)
	var parts []struct {
		Annotations []struct{ Type, Title, URL, Filename string }
	}
	_ = json.Unmarshal(it.Content, &parts)
	for _, p := range parts {
		for _, a := range p.Annotations {
			switch a.Type {
			case "url_citation":
				m.Cited = append(m.Cited, Source{Title: a.Title, URL: a.URL})
			case "file_citation", "container_file_citation":
				m.Cited = append(m.Cited, Source{Title: a.Filename})
			}
		}
	}
}
