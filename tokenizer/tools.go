package tokenizer

import (
	"killick/chat"
)

// tools counts the definitions of tools and functions.
func (m *Model) tools(req *chat.Request) int {
	defs := req.Field("tools")
	legacy := req.Field("functions")
	if defs.Kind() != chat.Array && legacy.Kind() != chat.Array {
		return 0
	}
	n := 0
	for _, v := range []chat.Value{defs, legacy} {
		if v.Kind() != chat.Array {
			continue
		}
		key := hashKey(v)
		key[0] ^= m.profile
		count, ok := m.counter.memo.get(key)
		if !ok {
			count = m.encoding.Count(appendTools(nil, v))
			m.counter.memo.put(key, count)
		}
		n += count
	}
	if !instructed(req) {
		// The definitions stand in a system message, here one of their own.
		n += m.format.message
	}
	return n
}

// instructed tells whether the request has a message that the definitions can
// stand in.
func instructed(req *chat.Request) bool {
	msgs := req.Messages()
	for i := range msgs {
		if msgs[i].Role().Instructs() {
			return true
		}
	}
	return false
}

// frame counts what is neither message nor tool.
func (m *Model) frame(req *chat.Request) int {
	n := m.format.reply
	if m.format.system != "" {
		n += m.format.message + 1 + m.encoding.CountString(m.format.system)
		if instructed(req) {
			n += m.encoding.CountString(m.format.preface)
		}
	}
	n += m.choice(req)
	return n + m.responseFormat(req)
}

// choice counts a forced choice of tool. Source: hmarr's openai-chat-tokens:
// one token for "none", four and the name for a function.
func (m *Model) choice(req *chat.Request) int {
	choice := req.Field("tool_choice")
	if choice == nil {
		choice = req.Field("function_call")
	}
	switch choice.Kind() {
	case chat.String:
		if choice.Is("none") {
			return 1
		}
	case chat.Object:
		name := choice.Get("function").Get("name")
		if name == nil {
			name = choice.Get("name")
		}
		return 4 + m.encoding.CountJSON(name.StringBody())
	}
	return 0
}

// responseFormat counts the schema that a structured reply must have, rendered
// as openai/harmony describes it (docs/format.md, "Structured output").
func (m *Model) responseFormat(req *chat.Request) int {
	schema := req.Field("response_format").Get("json_schema")
	if schema.Kind() != chat.Object {
		return 0
	}
	key := hashKey(schema)
	key[0] ^= m.profile
	n, ok := m.counter.memo.get(key)
	if !ok {
		b := append([]byte("# Response Formats\n\n## "), schema.Get("name").Text()...)
		b = append(b, "\n\n"...)
		if d := schema.Get("description").Text(); d != "" {
			b = append(append(append(b, "// "...), d...), '\n')
		}
		n = m.encoding.Count(append(b, schema.Get("schema")...))
		m.counter.memo.put(key, n)
	}
	return n
}
