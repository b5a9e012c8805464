package tokenizer

import (
	"killick/rawjson"
	"killick/view"
)

// extras are the members of a request, beside its messages, that take tokens.
type extras struct {
	view.Preamble
	instructed bool // a message of the system's or the developer's is there
}

func extrasOf(req *view.Request) extras {
	x := extras{Preamble: req.Preamble()}
	x.Instructions = append(x.Instructions, x.Uncached...)
	x.instructed = len(x.Instructions) > 0
	msgs := req.Messages()
	for i := range msgs {
		if msgs[i].Role().Instructs() {
			x.instructed = true
			break
		}
	}
	return x
}

// tools counts the definitions of tools and functions.
func (m Model) tools(x extras) int {
	n := 0
	for _, defs := range x.Tools {
		if defs.Kind() != rawjson.Array {
			continue
		}
		n += m.remembered(defs, func() int { return m.encoding().Count(renderTools(defs)) })
	}
	if n > 0 && !x.instructed {
		// The definitions are in a system message, here one of their own.
		n += m.format.message
	}
	return n
}

// frame counts what is neither message nor tool.
func (m Model) frame(x extras) int {
	n := m.format.reply
	if m.format.system != "" {
		n += m.format.message + 1 + m.encoding().CountString(m.format.system)
		if x.instructed {
			n += m.encoding().CountString(m.format.preface)
		}
	}
	for _, text := range x.Instructions {
		n += m.format.message + 1 + m.remembered(text, func() int {
			return m.encoding().CountJSON(text.StringBody())
		})
	}
	return n + m.choice(x) + m.responseFormat(x)
}

// choice counts a forced choice of tool. Source: hmarr's openai-chat-tokens:
// one token for "none", four and the name for a function.
func (m *tables) choice(x extras) int {
	switch choice := x.Choice; choice.Kind() {
	case rawjson.String:
		if choice.Is("none") {
			return 1
		}
	case rawjson.Object:
		name := choice.Get("function").Get("name")
		if name == nil {
			name = choice.Get("name")
		}
		if typ := choice.Get("type"); name == nil && (typ.Is("auto") || typ.Is("any")) {
			return 0
		}
		return 4 + m.encoding().CountJSON(name.StringBody())
	}
	return 0
}

// responseFormat counts the schema that a structured reply must have, rendered
// as openai/harmony describes it (docs/format.md, "Structured output").
func (m Model) responseFormat(x extras) int {
	if x.Schema.Kind() != rawjson.Object {
		return 0
	}
	return m.remembered(x.Schema, func() int {
		b := append([]byte("# Response Formats\n\n## "), x.Schema.Get("name").Text()...)
		b = append(b, "\n\n"...)
		if d := x.Schema.Get("description").Text(); d != "" {
			b = append(append(append(b, "// "...), d...), '\n')
		}
		return m.encoding().Count(append(b, x.Schema.Get("schema")...))
	})
}
