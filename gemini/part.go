package gemini

import (
	"killick/rawjson"
	"killick/view"
)

// kind is how a part must be treated when a conversation is edited.
type kind uint8

const (
	unknown kind = iota
	text
	thought // what the model thought, as far as the API shows it
	call
	result
	media
	own // a call that the API itself ran, or its result
	kinds
)

// kindOf returns the kind of a part with a member of this name, and whether there is one. Source:
// js-genai v1.30, types.ts, Part.
func kindOf(name string) (k kind, ok bool) {
	switch name {
	case "text":
		return text, true
	case "functionCall", "function_call":
		return call, true
	case "functionResponse", "function_response":
		return result, true
	case "inlineData", "inline_data", "fileData", "file_data":
		return media, true
	case "executableCode", "executable_code", "codeExecutionResult", "code_execution_result",
		"toolCall", "tool_call", "toolResponse", "tool_response":
		return own, true
	}
	return unknown, false
}

// describes reports whether a member only says something about the part that it is in.
func describes(name string) bool {
	switch name {
	case "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata",
		"mediaResolution", "media_resolution", "partMetadata", "part_metadata":
		return true
	}
	return false
}

// part is one part, as far as it is read.
type part struct {
	start, end int
	kind       kind
	data       rawjson.Span // the value of the member that makes the kind
	nested     bool         // it has members of a content, so that alone it would look like one

	// Of a result, relative to start like data.
	name, id, content rawjson.Span
	media             rawjson.Span // the list of media beside the response
	failed            bool         // its response is {"error": …}
}

// read reads the part at an offset and returns the offset just past it.
func (p *part) read(b []byte, at int) (int, error) {
	p.start = at
	var err error
	if at >= len(b) || b[at] != '{' {
		p.end, err = rawjson.Skip(b, at)
		return p.end, err
	}
	thinks, others := false, false
	p.end, err = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		name := key.Of(b).Text()
		k, known := kindOf(name)
		var end int
		var err error
		if k == result {
			end, err = p.readResult(b, from)
		} else {
			end, err = rawjson.Skip(b, from)
		}
		value := rawjson.SpanOf(from-at, end-at)
		switch {
		case err != nil:
		case known && p.data.End != 0:
			err = view.ErrDuplicate
		case known:
			p.kind, p.data = k, value
		case name == "thought":
			thinks = string(value.Of(b[at:])) == "true"
		case name == "role" || name == "parts":
			p.nested = true
		case !describes(name):
			others = true
		}
		return end, err
	})
	switch {
	case others:
		p.kind = unknown
	case p.kind == text && thinks:
		p.kind = thought
	}
	return p.end, err
}

// readResult reads a functionResponse.
func (p *part) readResult(b []byte, at int) (int, error) {
	if at >= len(b) || b[at] != '{' {
		return rawjson.Skip(b, at)
	}
	end, err := rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		var member *rawjson.Span
		switch key.Of(b).Text() {
		case "name":
			member = &p.name
		case "id":
			member = &p.id
		case "response":
			member = &p.content
		case "parts":
			member = &p.media
		default:
			return rawjson.Skip(b, from)
		}
		return view.ReadOnce(member, b, p.start, from, rawjson.Skip)
	})
	if err == nil {
		p.readText(b)
	}
	return end, err
}

// readText narrows the content, which is the whole response, to the text in it. Clients answer
// {"output": …} or {"error": …}, as the API recommends; LangChain.js (2.3.2) also {"error":
// {"details": …}}, and the AI SDK (3.0.141) {"name": …, "content": …} with the function's name. Any
// other object is content as a whole.
func (p *part) readText(b []byte) {
	at := p.start + int(p.content.Start)
	if p.content.End == 0 || b[at] != '{' {
		return
	}
	names, values, n := firstMembers(b, at)
	text := values[0]
	switch {
	case n == 1 && names[0].Is("error"):
		p.failed = b[text.Start] != 'n'
		if b[text.Start] == '{' {
			if inner, details, n := firstMembers(b, int(text.Start)); n == 1 &&
				inner[0].Is("details") {
				text = details[0]
			}
		}
	case n == 2 && names[0].Is("name") && names[1].Is("content") &&
		values[0].Of(b).Is(p.name.Of(b[p.start:]).Text()):
		text = values[1]
	case n != 1:
		text = rawjson.Span{}
	}
	if text.End > 0 && b[text.Start] == '"' {
		p.content = rawjson.SpanOf(int(text.Start)-p.start, int(text.End)-p.start)
	}
}

// firstMembers returns the keys and the values of the first two members of a valid object, and how
// many it has.
func firstMembers(b []byte, at int) (names [2]rawjson.Value, values [2]rawjson.Span, n int) {
	_, _ = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		end, err := rawjson.Skip(b, from)
		if n < len(names) {
			names[n], values[n] = key.Of(b), rawjson.SpanOf(from, end)
		}
		n++
		return end, err
	})
	return names, values, n
}

// get returns a member of an object in either spelling.
func get(object rawjson.Value, camel, snake string) rawjson.Value {
	if v := object.Get(camel); v != nil {
		return v
	}
	return object.Get(snake)
}
