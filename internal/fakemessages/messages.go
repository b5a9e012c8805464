package fakemessages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxMessages is the most that a request may have (anthropic-sdk-go, BetaMessageNewParams).
const maxMessages = 100_000

var (
	idPattern   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	namePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
)

// readTools reads the definitions of tools.
func (r *Request) readTools() *apiError {
	v, _ := r.fields.get("tools")
	if v == nil {
		return nil
	}
	if !isList(v) {
		return invalid("tools: Input should be a valid list")
	}
	names := map[string]bool{}
	for i, v := range v.([]any) {
		path := fmt.Sprintf("tools.%d", i)
		o, ok := v.(object)
		if !ok {
			return invalid("%s: Input should be a valid dictionary", path)
		}
		t := &Block{Type: o.text("type"), Name: o.text("name"), path: path,
			fields: o.without(cacheControl)}
		if t.Type == "" || t.Type == "custom" {
			t.Type = "custom"
			if e := checkTool(t, path); e != nil {
				return e
			}
		}
		if t.Name != "" && names[t.Name] {
			return invalid("tools: Tool names must be unique.")
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

func checkTool(t *Block, path string) *apiError {
	known := []string{"type", "name", "description", "input_schema", "strict", "defer_loading",
		"eager_input_streaming", "allowed_callers", "input_examples"}
	for _, m := range t.fields {
		if !slices.Contains(known, m.name) {
			return extra(path + ".custom." + m.name)
		}
	}
	if t.Name == "" {
		return required(path + ".custom.name")
	}
	if !namePattern.MatchString(t.Name) {
		return invalid("%s.custom.name: String should match pattern '%s'", path, namePattern)
	}
	if schema, _ := t.fields.get("input_schema"); schema == nil {
		return required(path + ".custom.input_schema")
	}
	return nil
}

// readSystem reads the system prompt: a string or blocks of text.
func (r *Request) readSystem() *apiError {
	v, _ := r.fields.get("system")
	switch v := v.(type) {
	case nil:
	case string:
		if v != "" {
			r.System = []*Block{textBlock(v, "system")}
		}
	case []any:
		for i, v := range v {
			b, e := r.readBlock(v, fmt.Sprintf("system.%d", i), []string{typeText})
			if e != nil {
				return e
			}
			if b.Text == "" {
				return invalid("system: text content blocks must be non-empty")
			}
			r.System = append(r.System, b)
		}
	default:
		return invalid("system: Input should be a valid string or a list of text blocks")
	}
	return nil
}

// textBlock is what content that is a string stands for.
func textBlock(text, path string) *Block {
	return &Block{Type: typeText, Text: text, path: path, bare: true,
		fields: object{{"text", text}, {"type", typeText}}}
}

func (r *Request) readMessages() *apiError {
	v, _ := r.fields.get("messages")
	list, ok := v.([]any)
	switch {
	case !ok:
		return invalid("messages: Input should be a valid list")
	case len(list) == 0 && r.summary:
		e := invalid("messages: at least one message is required")
		e.code = "compaction_nothing_to_summarize"
		return e
	case len(list) == 0:
		return invalid("messages: at least one message is required")
	case len(list) > maxMessages:
		return invalid("messages: List should have at most %d items", maxMessages)
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

func (r *Request) readMessage(i int, v any) (*Message, *apiError) {
	path := fmt.Sprintf("messages.%d", i)
	o, ok := v.(object)
	if !ok {
		return nil, invalid("%s: Input should be a valid dictionary", path)
	}
	m := &Message{Role: o.text("role"), fields: o}
	if role, _ := o.get("role"); role == nil {
		return nil, required(path + ".role")
	}
	for _, f := range o {
		switch {
		case f.name == "role" || f.name == "content":
		case f.name == "clear_at" && m.Role == roleSystem && r.beta(betaClearAt):
		case f.name == "output_config" && m.Role == roleSystem &&
			r.beta("mid-conversation-output-config-", "per-turn-control-"):
		default:
			return nil, extra(path + "." + f.name)
		}
	}
	content, present := o.get("content")
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
		return nil, invalid("%s.content: Input should be a valid string or a list of blocks", path)
	}
	return m, nil
}

// tags lists the types of blocks as errors do.
func tags(allowed []string) string {
	if allowed == nil {
		for typ := range fieldsOfBlocks {
			if typ != "tool_reference" {
				allowed = append(allowed, typ)
			}
		}
		slices.Sort(allowed)
	}
	quoted := make([]string, len(allowed))
	for i, typ := range allowed {
		quoted[i] = "'" + typ + "'"
	}
	return strings.Join(quoted, ", ")
}
