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
			err = view.ErrTwice
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
	return rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		var member *rawjson.Span
		read := rawjson.Skip
		switch key.Of(b).Text() {
		case "name":
			member = &p.name
		case "id":
			member = &p.id
		case "response":
			member, read = &p.content, p.readResponse
		case "parts":
			member = &p.media
		default:
			return rawjson.Skip(b, from)
		}
		if member.End != 0 {
			return from, view.ErrTwice
		}
		end, err := read(b, from)
		if member.End == 0 {
			*member = rawjson.SpanOf(from-p.start, end-p.start)
		}
		return end, err
	})
}

// readResponse reads a response. Its content is the object, or its one member if that is a string:
// clients answer {"output": …} or {"error": …}, as the API recommends, LangChain's (2.3.2) also
// {"error": {"details": …}}.
func (p *part) readResponse(b []byte, at int) (int, error) {
	if at >= len(b) || b[at] != '{' {
		return rawjson.Skip(b, at)
	}
	key, only, end, err := onlyMember(b, at)
	if at = int(only.Start); only.End > 0 && key.Is("error") {
		p.failed = b[at] != 'n'
		if b[at] == '{' {
			if name, inner, _, err := onlyMember(b, at); err == nil && name.Is("details") {
				only = inner
			}
		}
	}
	p.content = rawjson.Span{}
	if only.End > 0 && b[only.Start] == '"' {
		p.content = rawjson.SpanOf(int(only.Start)-p.start, int(only.End)-p.start)
	}
	return end, err
}

// onlyMember returns the key and the value of the one member of the object that begins at a place,
// and its end. The value is empty if there are several members or none.
func onlyMember(b []byte, at int) (name rawjson.Value, only rawjson.Span, end int, err error) {
	n := 0
	end, err = rawjson.WalkObject(b, at, func(key rawjson.Span, from int) (int, error) {
		end, err := rawjson.Skip(b, from)
		name, only = key.Of(b), rawjson.Span{}
		if n++; n == 1 && err == nil {
			only = rawjson.SpanOf(from, end)
		}
		return end, err
	})
	return name, only, end, err
}

// get returns a member of an object in either spelling.
func get(object rawjson.Value, camel, snake string) rawjson.Value {
	if v := object.Get(camel); v != nil {
		return v
	}
	return object.Get(snake)
}
