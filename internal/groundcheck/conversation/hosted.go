package conversation

import (
	"encoding/json"
	"slices"
	"strings"
)

// block is a block of the Messages API, or the content of a result.
type block struct {
	Type, ID, Name string
	Server         string          `json:"server_name"`
	Of             string          `json:"tool_use_id"`
	IsError        bool            `json:"is_error"`
	Input, Content json.RawMessage // Content is a string, a block, or several
	Title, URL     string
	Text           *string
	Stdout, Stderr string
	ReturnCode     *int   `json:"return_code"`
	ErrorCode      string `json:"error_code"`
	Source         struct{ Type, Data string }
	Citations      []struct {
		Type, Title, URL string
		Text             string `json:"cited_text"`
	}
}

// readBlocks reads the calls that the provider ran, and what the text cites.
func (m *Message) readBlocks(content json.RawMessage) {
	var blocks []block
	if m.Role != "assistant" || json.Unmarshal(content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		switch {
		case b.Type == "server_tool_use" || b.Type == "mcp_tool_use":
			name := strings.TrimPrefix(b.Server+"."+b.Name, ".")
			m.Ran = append(m.Ran, &Call{Caller: m, ID: b.ID, Tool: name, raw: string(b.Input),
				Args: readArguments(string(b.Input)), Hosted: true})
		case b.Of != "" && strings.HasSuffix(b.Type, "_tool_result"):
			k := &Call{ID: b.Of, Hosted: true}
			k.Ran.end.Failed = b.IsError
			k.Ran.read(b.Content)
			m.answer(k)
		case b.Type == "text":
			for _, c := range b.Citations {
				if c.Type == "web_search_result_location" {
					m.Cited = append(m.Cited, Source{c.Title, c.URL, c.Text})
				}
			}
		}
	}
}

// answer adds the result of a call, which an earlier message may have made.
func (m *Message) answer(k *Call) {
	texts := []string{k.Ran.Text}
	for _, s := range k.Ran.Sources {
		texts = append(texts, s.Title, s.URL)
	}
	k.Result = &Message{texts: texts}
	m.Ran = append(m.Ran, k)
}

// read reads the content of a result.
func (r *Ran) read(content json.RawMessage) {
	var text string
	var list []json.RawMessage
	var b block
	switch {
	case json.Unmarshal(content, &text) == nil:
		r.print(text)
		return
	case json.Unmarshal(content, &list) == nil:
		for _, part := range list {
			r.read(part)
		}
		return
	case json.Unmarshal(content, &b) != nil:
		return
	}
	if b.ReturnCode != nil {
		r.end.Stated, r.end.Exit = true, *b.ReturnCode
		r.end.Failed = r.end.Failed || r.end.Exit != 0
	}
	r.end.Failed = r.end.Failed || b.ErrorCode != ""
	switch b.Type {
	case "web_search_result":
		r.Sources = append(r.Sources, Source{Title: b.Title, URL: b.URL})
		return
	case "web_fetch_result":
		var page block
		_ = json.Unmarshal(b.Content, &page)
		r.Sources = append(r.Sources, Source{Title: page.Title, URL: b.URL})
		b.Source = page.Source
	default:
		r.read(b.Content)
	}
	if b.Text != nil {
		r.print(*b.Text)
	}
	r.print(b.Stdout)
	r.print(b.Stderr)
	r.print(b.ErrorCode)
	if b.Source.Type == "text" {
		r.print(b.Source.Data)
	}
}

func (r *Ran) print(text string) {
	if text != "" {
		r.Text = strings.TrimPrefix(r.Text+"\n"+text, "\n")
	}
}

// ranBefore pairs the calls and results of the provider in a message with the calls made so far.
func (m *Message) ranBefore(made []*Call) []*Call {
	for _, k := range m.Ran {
		if k.Result != nil {
			k.Result.Number = m.Number
		}
		if k.Caller != nil {
			made = append(made, k)
			continue
		}
		for _, of := range slices.Backward(made) {
			if of.Hosted && of.ID == k.ID && of.Result == nil {
				of.Result, of.Ran = k.Result, k.Ran
				break
			}
		}
	}
	return made
}
