package request

import (
	"fmt"
	"regexp"
	"slices"

	"killick/internal/fakemessages/jsontree"
)

// maxMessages is the most that a request may have (anthropic-sdk-go, BetaMessageNewParams).
const maxMessages = 100_000

var (
	namePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
)

// readTools reads the definitions of tools.
func (r *Request) readTools() *Error {
	v, _ := r.Fields.Get("tools")
	if v == nil {
		return nil
	}
	if !jsontree.IsList(v) {
		return Invalid("tools: Input should be a valid list")
	}
	names := map[string]bool{}
	for i, v := range v.([]any) {
		path := fmt.Sprintf("tools.%d", i)
		o, ok := v.(jsontree.Object)
		if !ok {
			return Invalid("%s: Input should be a valid dictionary", path)
		}
		t := &Block{Type: o.Text("type"), Name: o.Text("name"), Path: path,
			Fields: o.Without(CacheControl)}
		if t.Type == "" || t.Type == "custom" {
			t.Type = "custom"
			if e := checkTool(t, path); e != nil {
				return e
			}
		}
		if t.Name != "" && names[t.Name] {
			return Invalid("tools: Tool names must be unique.")
		}
		names[t.Name] = true
		own, e := readMark(o, path)
		if e != nil {
			return e
		}
		if own != nil {
			t.marks = []*mark{own}
		}
		r.Tools = append(r.Tools, t)
	}
	return nil
}

func checkTool(t *Block, path string) *Error {
	known := []string{"type", "name", "description", "input_schema", "strict", "defer_loading",
		"eager_input_streaming", "allowed_callers", "input_examples"}
	for _, m := range t.Fields {
		if !slices.Contains(known, m.Name) {
			return extra(path + ".custom." + m.Name)
		}
	}
	if t.Name == "" {
		return required(path + ".custom.name")
	}
	if !namePattern.MatchString(t.Name) {
		return Invalid("%s.custom.name: String should match pattern '%s'", path, namePattern)
	}
	if schema, _ := t.Fields.Get("input_schema"); schema == nil {
		return required(path + ".custom.input_schema")
	}
	return nil
}

// readSystem reads the system prompt: a string or blocks of text.
func (r *Request) readSystem() *Error {
	v, _ := r.Fields.Get("system")
	switch v := v.(type) {
	case nil:
	case string:
		if v != "" {
			r.System = []*Block{textBlock(v, "system")}
		}
	case []any:
		for i, v := range v {
			b, e := r.readBlock(v, fmt.Sprintf("system.%d", i), []string{TypeText})
			if e != nil {
				return e
			}
			if b.Text == "" {
				return Invalid("system: text content blocks must be non-empty")
			}
			r.System = append(r.System, b)
		}
	default:
		return Invalid("system: Input should be a valid string or a list of text blocks")
	}
	return nil
}

// textBlock is what content that is a string stands for.
func textBlock(text, path string) *Block {
	return &Block{Type: TypeText, Text: text, Path: path, bare: true,
		Fields: jsontree.Object{
			{Name: "text", Value: text}, {Name: "type", Value: TypeText}}}
}

func (r *Request) readMessages() *Error {
	v, _ := r.Fields.Get("messages")
	list, ok := v.([]any)
	switch {
	case !ok:
		return Invalid("messages: Input should be a valid list")
	case len(list) == 0 && r.Summary:
		e := Invalid("messages: at least one message is required")
		e.Code = "compaction_nothing_to_summarize"
		return e
	case len(list) == 0:
		return Invalid("messages: at least one message is required")
	case len(list) > maxMessages:
		return Invalid("messages: List should have at most %d items", maxMessages)
	}
	for i, v := range list {
		m, e := r.readMessage(i, v)
		if e != nil {
			return e
		}
		r.Messages = append(r.Messages, m)
	}
	return nil
}

func (r *Request) readMessage(i int, v any) (*Message, *Error) {
	path := fmt.Sprintf("messages.%d", i)
	o, ok := v.(jsontree.Object)
	if !ok {
		return nil, Invalid("%s: Input should be a valid dictionary", path)
	}
	m := &Message{Role: o.Text("role"), fields: o}
	if role, _ := o.Get("role"); role == nil {
		return nil, required(path + ".role")
	}
	for _, f := range o {
		switch {
		case f.Name == "role" || f.Name == "content":
		case f.Name == "clear_at" && m.Role == RoleSystem && r.Beta(betaClearAt):
		case f.Name == "output_config" && m.Role == RoleSystem &&
			r.Beta("mid-conversation-output-config-", "per-turn-control-"):
		default:
			return nil, extra(path + "." + f.Name)
		}
	}
	content, present := o.Get("content")
	switch content := content.(type) {
	case string:
		m.Blocks = []*Block{textBlock(content, path+".content.0")}
	case []any:
		for j, v := range content {
			b, e := r.readBlock(v, fmt.Sprintf("%s.content.%d", path, j), nil)
			if e != nil {
				return nil, e
			}
			m.Blocks = append(m.Blocks, b)
		}
	default:
		if !present {
			return nil, required(path + ".content")
		}
		return nil, Invalid("%s.content: Input should be a valid string or a list of blocks", path)
	}
	return m, nil
}
