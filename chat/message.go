package chat

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"iter"
)

// Role is the author of a message.
type Role string

// The roles of the chat API. Others are kept unchanged.
const (
	System    Role = "system"
	Developer Role = "developer"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	Function  Role = "function" // the result of a legacy function_call
)

// Instructs reports whether the role is one of the operator's: such messages are always forwarded
// unchanged.
func (r Role) Instructs() bool { return r == System || r == Developer }

// Result reports whether messages of the role answer a call.
func (r Role) Result() bool { return r == Tool || r == Function }

// Message is a view of one message. Its methods are not safe for concurrent use; use copies.
type Message struct {
	// Raw is the client's message, from brace to brace.
	Raw []byte

	role       Role
	content    span
	name       span
	callID     span
	calls      span
	legacyCall span
}

// ParseMessage returns the view of one message on its own.
func ParseMessage(raw []byte) (Message, error) {
	m, end, err := parseMessage(raw, 0)
	if err == nil && end != len(raw) {
		err = errSyntax
	}
	if err != nil {
		return Message{}, fmt.Errorf("reading a message: %w", err)
	}
	return m, nil
}

// parseMessage reads the message that starts at b[at] and returns the offset
// just past it.
func parseMessage(b []byte, at int) (Message, int, error) {
	if at >= len(b) || b[at] != '{' {
		if end, err := skip(b, at); err != nil {
			return Message{}, end, err
		}
		return Message{}, at, ErrNoMessages
	}
	var m Message
	var role span
	end, err := walkObject(b, at, func(key span, from int) (int, error) {
		end, err := skip(b, from)
		if err != nil {
			return end, err
		}
		field := m.known(key.of(b), &role)
		if field == nil {
			return end, nil
		}
		if field.end != 0 {
			return end, ErrTwice
		}
		*field = span{from - at, end - at}
		return end, nil
	})
	if err != nil {
		return Message{}, end, err
	}
	m.Raw = b[at:end:end]
	m.role = readRole(role.of(m.Raw))
	return m, end, nil
}

// known returns the field for the span of the member key, nil for a member that the view does not
// read.
func (m *Message) known(key Value, role *span) *span {
	name := key.StringBody()
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(key.Text())
	}
	switch string(name) {
	case "role":
		return role
	case "content":
		return &m.content
	case "name":
		return &m.name
	case "tool_call_id":
		return &m.callID
	case "tool_calls":
		return &m.calls
	case "function_call":
		return &m.legacyCall
	}
	return nil
}

func readRole(v Value) Role {
	switch body := v.StringBody(); string(body) {
	case "user":
		return User
	case "assistant":
		return Assistant
	case "tool":
		return Tool
	case "system":
		return System
	}
	return Role(v.Text())
}

// Role returns the author of the message, "" if there is none.
func (m *Message) Role() Role { return m.role }

// Content returns the raw content: a string, an array of parts or null; nil if there is none.
func (m *Message) Content() Value { return m.content.of(m.Raw) }

// Name returns the name of the participant or of the tool, "" if none is given.
func (m *Message) Name() string { return m.name.of(m.Raw).Text() }

// ToolCallID returns the id of the call that a tool message answers.
func (m *Message) ToolCallID() string { return m.callID.of(m.Raw).Text() }

// Field returns a member by its name, nil if there is none.
func (m *Message) Field(name string) Value { return Value(m.Raw).Get(name) }

// ToolCall is one call that an assistant message makes.
type ToolCall struct {
	Raw       Value  // the whole call
	ID        string // "" for a legacy function_call
	Type      string // "function" if it has none
	Name      string
	Arguments Value // the JSON string of a function's arguments or of a custom tool's input
	Legacy    bool  // a function_call, answered by a message of role function with its name
}

// HasCalls reports whether the message calls a tool.
func (m *Message) HasCalls() bool {
	for range m.calls.of(m.Raw).Elements() {
		return true
	}
	return m.legacyCall.of(m.Raw).Kind() == Object
}

// ToolCalls returns the calls that the message makes, including a legacy function_call.
func (m *Message) ToolCalls() []ToolCall {
	var calls []ToolCall
	for raw := range m.calls.of(m.Raw).Elements() {
		call := ToolCall{Raw: raw, ID: raw.Get("id").Text(), Type: raw.Get("type").Text()}
		switch {
		case call.Type == "custom":
			custom := raw.Get("custom")
			call.Name, call.Arguments = custom.Get("name").Text(), custom.Get("input")
		default:
			function := raw.Get("function")
			call.Name, call.Arguments = function.Get("name").Text(), function.Get("arguments")
		}
		if call.Type == "" {
			call.Type = "function"
		}
		calls = append(calls, call)
	}
	if raw := m.legacyCall.of(m.Raw); raw.Kind() == Object {
		calls = append(calls, ToolCall{
			Raw: raw, Type: "function", Legacy: true,
			Name: raw.Get("name").Text(), Arguments: raw.Get("arguments"),
		})
	}
	return calls
}

// Part is one part of a message's content.
type Part struct {
	Type string // "text", "image_url", "input_audio", "file", "refusal", …
	Raw  Value  // the whole part: an object, or a string content itself
	Text Value  // the JSON string of a text or refusal part, nil for others
}

// WithText returns the part with its text replaced by quoted, a JSON string; its other members
// stay. A part without text is returned as it is.
func (p Part) WithText(quoted []byte) []byte {
	if p.Raw.Kind() == String {
		return quoted
	}
	var text span
	_, _ = walkObject(p.Raw, 0, func(key span, at int) (int, error) {
		end, err := skip(p.Raw, at)
		if err == nil && key.of(p.Raw).Is(p.Type) {
			text = span{at, end}
		}
		return end, err
	})
	if text.end == 0 {
		return p.Raw
	}
	out := append([]byte(nil), p.Raw[:text.start]...)
	out = append(out, quoted...)
	return append(out, p.Raw[text.end:]...)
}

// Parts yields the parts of the content. A string is one text part; null,
// absent and empty contents have none.
func (m *Message) Parts() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		content := m.Content()
		switch content.Kind() {
		case String:
			if len(content) > 2 {
				yield(Part{Type: "text", Raw: content, Text: content})
			}
		case Array:
			for raw := range content.Elements() {
				part := Part{Type: raw.Get("type").Text(), Raw: raw}
				switch {
				case raw.Kind() == String: // some clients send bare strings
					part.Type, part.Text = "text", raw
				case part.Type == "text" || part.Type == "refusal":
					part.Text = raw.Get(part.Type)
				}
				if !yield(part) {
					return
				}
			}
		}
	}
}

// Text returns the text parts of the content, joined by line feeds.
func (m *Message) Text() string {
	if content := m.Content(); content.Kind() == String {
		return content.Text()
	}
	var text []byte
	first := true
	for part := range m.Parts() {
		if part.Text == nil {
			continue
		}
		if !first {
			text = append(text, '\n')
		}
		first = false
		text = part.Text.AppendText(text)
	}
	return string(text)
}

// OnlyText reports whether the content has only text: no images, audio or files.
func (m *Message) OnlyText() bool {
	for part := range m.Parts() {
		if part.Text == nil {
			return false
		}
	}
	return true
}

// WithContent returns the message with the bytes of its content replaced by content, which must be
// JSON; every other byte stays. A message without content is returned as it is.
func (m *Message) WithContent(content []byte) []byte {
	if m.content.end == 0 {
		return m.Raw
	}
	out := make([]byte, 0, len(m.Raw)-(m.content.end-m.content.start)+len(content))
	out = append(out, m.Raw[:m.content.start]...)
	out = append(out, content...)
	return append(out, m.Raw[m.content.end:]...)
}

// Fingerprint is a 128-bit hash of a message's bytes under seeds drawn at start-up: the key for
// what this process remembers about a message. It is never stored and means nothing to another
// process, and clients cannot construct collisions.
type Fingerprint [2]uint64

var fingerprintSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// Fingerprint returns the fingerprint of Raw.
func (m *Message) Fingerprint() (f Fingerprint) {
	for i, seed := range fingerprintSeeds {
		f[i] = maphash.Bytes(seed, m.Raw)
	}
	return f
}
