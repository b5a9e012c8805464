package conversation

import (
	"encoding/json"
	"strings"

	"killick/internal/groundcheck/quoted"
)

func readMessage(raw []byte) (*Message, error) {
	var form struct {
		Role       string
		Name       any
		Content    json.RawMessage
		ToolCallID string `json:"tool_call_id"`
		IsError    bool   `json:"is_error"`
		ErrorToo   bool   `json:"isError"`
		// Pages that a reply of chat completions cites.
		Annotations []struct {
			Page struct{ Title, URL string } `json:"url_citation"`
		}
		ToolCalls []struct {
			ID       string
			Function struct {
				Name      string
				Arguments json.RawMessage
			}
			Custom struct {
				Name  string
				Input json.RawMessage
			}
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(raw, &form); err != nil {
		return nil, err
	}
	m := &Message{Raw: raw, Role: form.Role, callID: form.ToolCallID, failed: form.IsError ||
		form.ErrorToo}
	m.Name, _ = form.Name.(string)
	m.readContent(form.Content)
	m.readBlocks(form.Content)
	for _, note := range form.Annotations {
		m.Cited = append(m.Cited, Source{Title: note.Page.Title, URL: note.Page.URL})
	}
	for _, made := range form.ToolCalls {
		c := &Call{Caller: m, ID: made.ID, Tool: made.Function.Name}
		given := made.Function.Arguments
		if made.Custom.Name != "" {
			c.Tool, given = made.Custom.Name, made.Custom.Input
		}
		if json.Unmarshal(given, &c.raw) != nil {
			c.raw = string(given)
		}
		c.forward()
		c.Args = readArguments(c.raw)
		m.Calls = append(m.Calls, c)
	}
	return m, nil
}

// forward makes a call of qwen-code's "tool_call" the one that it forwards.
func (c *Call) forward() {
	var to struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	d := json.NewDecoder(strings.NewReader(c.raw))
	d.DisallowUnknownFields()
	if c.Tool == "tool_call" && d.Decode(&to) == nil && to.Name != "" &&
		strings.HasPrefix(string(to.Arguments), "{") {
		c.Tool, c.raw = to.Name, string(to.Arguments)
	}
}

func (m *Message) readContent(content json.RawMessage) {
	var text string
	if json.Unmarshal(content, &text) == nil {
		m.texts = []string{text}
		return
	}
	var parts []struct {
		Type    string
		Text    *string
		Refusal *string
		Cites   json.RawMessage `json:"citations"`
		mediaPart
	}
	if json.Unmarshal(content, &parts) != nil {
		return
	}
	for i, p := range parts {
		cited := listsAny(p.Cites) || i > 0 && listsAny(parts[i-1].Cites)
		switch {
		case p.Text != nil && cited && m.Role == "assistant" && i > 0 && parts[i-1].Text != nil:
			m.texts[len(m.texts)-1] += *p.Text // one sentence may have several blocks
		case p.Text != nil:
			m.texts = append(m.texts, *p.Text)
		case p.Refusal != nil:
			m.texts = append(m.texts, *p.Refusal)
		default:
			m.media = true
			m.Files = append(m.Files, p.named(p.Type)...)
		}
	}
}

// listsAny reports whether a value is a list that is not empty.
func listsAny(raw json.RawMessage) bool {
	var list []json.RawMessage
	return json.Unmarshal(raw, &list) == nil && len(list) > 0
}

// Instructs reports whether the message is the operator's.
func (m *Message) Instructs() bool { return m.Role == "system" || m.Role == "developer" }

// Text returns all text of the message.
func (m *Message) Text() string { return strings.Join(m.texts, "\n") }

// HasWords reports whether the message has text of the assistant.
func (m *Message) HasWords() bool {
	return m.Role == "assistant" && strings.TrimSpace(m.Text()) != ""
}

// Fold returns the text with its white space folded.
func (m *Message) Fold() string {
	if m.folded == nil {
		folded := quoted.Fold(m.Text())
		m.folded = &folded
	}
	return *m.folded
}
