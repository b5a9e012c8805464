package fakeresponses

import (
	"fmt"
	"slices"

	"killick/internal/fakeserver/openaiapi"
)

// checkInput returns the items of the input, each with its type, or why it is refused.
func (s *Server) checkInput(input any) ([]Object, *openaiapi.Error) {
	switch input := input.(type) {
	case nil:
		return nil, nil
	case string:
		return []Object{{"type": "message", "role": "user", "content": input}}, nil
	case []any:
		if len(input) == 0 {
			return nil, openaiapi.Empty("input")
		}
		items := make([]Object, len(input))
		for i, v := range input {
			item := asObject(v)
			if item == nil {
				return nil, openaiapi.Mistyped(inputAt(i), "an object", kindOf(v))
			}
			items[i] = withType(item)
			if e := s.checkItem(inputAt(i), items[i]); e != nil {
				return nil, e
			}
		}
		return items, nil
	}
	return nil, openaiapi.Mistyped("input", "one of a string or array of objects", kindOf(input))
}

// withType names the type of an item that may leave it out: a message, or a reference.
func withType(item Object) Object {
	if item.Has("type") {
		return item
	}
	var typ string
	switch {
	case item.Has("role"):
		typ = "message"
	case item.Has("id") && len(item.without("type")) == 1:
		typ = "item_reference"
	default:
		return item
	}
	typed := item.without()
	typed["type"] = typ
	return typed
}

func (s *Server) checkItem(at string, item Object) *openaiapi.Error {
	typ := item.Text("type")
	k, known := kinds[typ]
	switch {
	case !item.Has("type"):
		return openaiapi.Lacks(at + ".type")
	case !aString.fits(item["type"]):
		return openaiapi.Mistyped(at+".type", "a string", kindOf(item["type"]))
	case !known:
		return openaiapi.Unsupported(at+".type", typ, quoted(sortedNames(kinds)))
	}
	if e := k.check(at, item); e != nil {
		return e
	}
	switch typ {
	case "message":
		return s.checkMessage(at, item)
	case "function_call_output", "custom_tool_call_output":
		return s.checkParts(at+".output", item["output"], inputParts)
	case "reasoning":
		return s.checkParts(at+".summary", item["summary"], []string{"summary_text"})
	case "additional_tools":
		return checkTools("tools", item)
	}
	return checkAction(at, item)
}

// checkAction checks what calls of the shell and of patches do.
func checkAction(at string, item Object) *openaiapi.Error {
	switch item.Text("type") {
	case "local_shell_call":
		action := item.Object("action")
		if e := checkOneOf(at+".action.type", action, "exec"); e != nil {
			return e
		}
		return needs(at+".action", action, "command", anArray)
	case "shell_call":
		return needs(at+".action", item.Object("action"), "commands", anArray)
	case "shell_call_output":
		for i, output := range item.Objects("output") {
			at := fmt.Sprintf("%s.output[%d]", at, i)
			for name, w := range map[string]want{"outcome": anObject, "stdout": aString} {
				if e := needs(at, output, name, w); e != nil {
					return e
				}
			}
		}
	case "apply_patch_call":
		operation := item.Object("operation")
		if e := checkOneOf(at+".operation.type", operation, "create_file", "update_file",
			"delete_file"); e != nil {
			return e
		}
		return needs(at+".operation", operation, "path", aString)
	}
	return nil
}

// needs refuses an object without a member, or with one of another kind.
func needs(at string, o Object, name string, w want) *openaiapi.Error {
	switch v, there := o[name]; {
	case !there:
		return openaiapi.Lacks(at + "." + name)
	case !w.fits(v):
		return openaiapi.Mistyped(at+"."+name, wantNames[w], kindOf(v))
	}
	return nil
}

// The types of parts: of what a model is given, and of what it said.
var (
	inputParts  = []string{"input_text", "input_image", "input_file"}
	outputParts = []string{"output_text", "refusal"}
)

// partNeeds are the members of which a part of each type must have one.
var partNeeds = map[string][]string{
	"input_text": {"text"}, "output_text": {"text"}, "refusal": {"refusal"},
	"summary_text": {"text"}, "input_image": {"image_url", "file_id"},
	"input_file": {"file_id", "file_data", "file_url"},
}

// roles are those of messages, in the order of OpenAI's error.
var roles = []string{"assistant", "system", "developer", "user"}

func (s *Server) checkMessage(at string, item Object) *openaiapi.Error {
	role := item.Text("role")
	switch {
	case role == "":
		return openaiapi.Lacks(at + ".role")
	case !slices.Contains(roles, role):
		return openaiapi.Unsupported(at+".role", role, quoted(roles))
	case !item.Has("content"):
		return openaiapi.Lacks(at + ".content")
	case !stringOrParts.fits(item["content"]):
		return openaiapi.Mistyped(at+".content", wantNames[stringOrParts],
			kindOf(item["content"]))
	}
	if e := checkOneOf(at+".phase", item, "commentary", "final_answer"); e != nil {
		return e
	}
	types := inputParts
	if role == "assistant" {
		types = outputParts
	}
	return s.checkParts(at+".content", item["content"], types)
}

// checkParts refuses parts of other types than these. A string counts as one text.
func (s *Server) checkParts(at string, parts any, types []string) *openaiapi.Error {
	list, _ := parts.([]any)
	for i, v := range list {
		at := fmt.Sprintf("%s[%d]", at, i)
		part := asObject(v)
		typ := part.Text("type")
		switch {
		case part == nil:
			return openaiapi.Mistyped(at, "an object", kindOf(v))
		case typ == "":
			return openaiapi.Lacks(at + ".type")
		case !slices.Contains(types, typ):
			return openaiapi.Unsupported(at, typ, quoted(types))
		case !slices.ContainsFunc(partNeeds[typ], part.Has):
			return openaiapi.Lacks(at + "." + partNeeds[typ][0])
		}
		if e := checkBreakpoint(at, part); e != nil {
			return e
		}
	}
	return nil
}

// checkBreakpoint refuses a malformed mark of the prompt cache, and marks on what the model said.
func checkBreakpoint(at string, part Object) *openaiapi.Error {
	const name = "prompt_cache_breakpoint"
	mark := part.Object(name)
	at += "." + name
	switch {
	case !part.Has(name):
		return nil
	case !slices.Contains(inputParts, part.Text("type")):
		return openaiapi.BadRequest(at, "unknown_parameter", "Unknown parameter: '%s'.", at)
	case mark == nil:
		return openaiapi.Mistyped(at, "an object", kindOf(part[name]))
	case !mark.Has("mode"):
		return openaiapi.Lacks(at + ".mode")
	}
	if e := checkOneOf(at+".mode", mark, "explicit"); e != nil {
		return e
	}
	return checkOneOf(at+".ttl", mark, "30m", "12h")
}
