package expand

import (
	"bytes"

	"killick/proxy/format"
	"killick/rawjson"
)

// Name is the name of the tool.
const Name = "killick_expand"

// About tells a model what the tool is for.
const About = "Returns text of this conversation that was left out to save context. A " +
	"placeholder or a record names such text by its ref: the letters and digits behind ref=."

// description is About, plus what applies if calls are answered inside the proxy.
const description = About +
	" Call this tool alone: a call beside calls of other tools is not answered."

// Descriptions of the arguments.
const (
	aboutRef  = "The ref: 16 letters and digits."
	aboutLine = "The line to begin at, for a text of which only a part came. The first is 1."
)

// Schema is that of the arguments.
const Schema = `{"type":"object","properties":{"ref":{"type":"string","description":"` +
	aboutRef + `"},"from_line":{"type":"integer","description":"` + aboutLine +
	`"}},"required":["ref"]}`

// definitions are the tool in each format. They are constants, so that the tools have the same
// bytes on every turn.
var definitions = map[format.Format]string{
	format.Chat: `{"type":"function","function":{"name":"` + Name + `","description":"` +
		description + `","parameters":` + Schema + `}}`,
	format.Messages: `{"name":"` + Name + `","description":"` + description +
		`","input_schema":` + Schema + `}`,
	format.Responses: `{"type":"function","name":"` + Name + `","description":"` + description +
		`","parameters":` + Schema + `,"strict":false}`,
}

// lists are the members of a body that hold the conversation.
var lists = map[format.Format]string{
	format.Chat: "messages", format.Messages: "messages", format.Responses: "input",
}

// Place returns where in a body the tool is added: after the client's tools, which are in the
// member of that name or, as Codex sends them for newer models, in the first item of the input. ok
// is false if it cannot be added: the request has no tools, or the client lists a tool with that
// name itself, possibly with a prefix, as MCP clients do; or a reply could not be processed:
// several choices, a response made in the background, or one that the server stores with the call
// in it.
func Place(f format.Format, body []byte) (at int, ok bool) {
	if definitions[f] == "" {
		return 0, false
	}
	var tools, list rawjson.Span
	fits := f != format.Responses // needs store: false
	start := rawjson.Space(body, 0)
	_, err := rawjson.WalkObject(body, start, func(key rawjson.Span, from int) (int, error) {
		end, err := rawjson.Skip(body, from)
		if err != nil {
			return end, err
		}
		value := rawjson.Value(body[from:end])
		switch name := key.Of(body); {
		case name.Is("tools"):
			if tools.End != 0 || value.Kind() != rawjson.Array {
				return end, rawjson.ErrStop
			}
			tools = rawjson.SpanOf(from, end)
		case f == format.Responses && name.Is("input"):
			list = rawjson.SpanOf(from, end)
		case f == format.Chat && name.Is("n"):
			n, isInt := value.Int()
			fits = fits && (isInt && n == 1 || value.Kind() == rawjson.Null)
		case f == format.Responses && name.Is("store"):
			fits = string(value) == "false"
		case f == format.Responses && name.Is("background"):
			if string(value) == "true" {
				return end, rawjson.ErrStop
			}
		}
		return end, nil
	})
	if err != nil || !fits {
		return 0, false
	}
	if tools.End == 0 {
		tools = additionalTools(body, list)
	}
	defined := tools.Of(body)
	if defined.Kind() != rawjson.Array || isNamedIn(defined) ||
		rawjson.Space(defined, 1) == len(defined)-1 {
		return 0, false
	}
	return int(tools.End) - 1, true
}

// isNamedIn reports whether a list of tools has the name of the tool, however it is escaped.
func isNamedIn(defined []byte) bool {
	if bytes.Contains(defined, []byte(`\u`)) {
		defined = rawjson.AppendUnescaped(nil, defined, rawjson.ReplaceLone)
	}
	return bytes.Contains(defined, []byte(Name))
}

// additionalTools returns where the tools of the first item of an input stand, if it is one of type
// additional_tools.
func additionalTools(body []byte, list rawjson.Span) (tools rawjson.Span) {
	if list.Of(body).Kind() != rawjson.Array {
		return rawjson.Span{}
	}
	at, named := rawjson.Space(body, int(list.Start)+1), false
	if body[at] != '{' {
		return rawjson.Span{}
	}
	_, err := rawjson.WalkObject(body, at, func(key rawjson.Span, from int) (int, error) {
		end, err := rawjson.Skip(body, from)
		if err != nil {
			return end, err
		}
		switch name := key.Of(body); {
		case name.Is("type"):
			named = rawjson.Value(body[from:end]).Is("additional_tools")
		case name.Is("tools"):
			tools = rawjson.SpanOf(from, end)
		}
		return end, nil
	})
	if err != nil || !named {
		return rawjson.Span{}
	}
	return tools
}

// Offer returns the body with the tool at a position returned by Place.
func Offer(f format.Format, body []byte, at int) []byte {
	return insert(body, at, []byte(definitions[f]), true)
}

// extend returns the body with elements appended to its conversation.
func extend(f format.Format, body, elements []byte) (next []byte, ok bool) {
	var list rawjson.Span
	start := rawjson.Space(body, 0)
	_, err := rawjson.WalkObject(body, start, func(key rawjson.Span, from int) (int, error) {
		end, err := rawjson.Skip(body, from)
		if err == nil && key.Of(body).Is(lists[f]) {
			list = rawjson.SpanOf(from, end)
		}
		return end, err
	})
	if err != nil || list.Of(body).Kind() != rawjson.Array {
		return nil, false
	}
	empty := rawjson.Space(list.Of(body), 1) == len(list.Of(body))-1
	return insert(body, int(list.End)-1, elements, !empty), true
}

// insert returns b with text at an offset, after a comma if there is something before it.
func insert(b []byte, at int, text []byte, comma bool) []byte {
	out := make([]byte, 0, len(b)+len(text)+1)
	out = append(out, b[:at]...)
	if comma {
		out = append(out, ',')
	}
	return append(append(out, text...), b[at:]...)
}
