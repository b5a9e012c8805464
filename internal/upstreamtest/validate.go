package upstreamtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"killick/chat"
)

// The wordings of this file were taken from bug reports of 2024 to 2026 that
// quote OpenAI's answers.

const (
	notJSON = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. " +
		"The OpenAI API expects a JSON payload, but what was sent was not valid JSON. " +
		"If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)"
	emptyArray = "Invalid '%s': empty array. Expected an array with minimum length 1, but got an empty array instead."
	missing    = "Missing required parameter: '%s'."
	wrongType  = "Invalid type for '%s': expected %s, but got %s instead."
	// [sic]: "preceeding".
	orphan     = "Invalid parameter: messages with role '%s' must be a response to a preceeding message with '%s'."
	unanswered = "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
		"The following tool_call_ids did not have response messages: %s"
	// OpenAI itself lets a function_call stand alone. A proxy that splits the
	// pair loses a result all the same, so it is refused here.
	unansweredFunction = "An assistant message with 'function_call' must be followed by a function message with its name. " +
		"The following function did not have a response message: %s"
)

// parse returns the view of a chat request, or why it cannot be read.
func parse(body []byte) (*chat.Request, *apiError) {
	req, err := chat.Parse(body)
	if err == nil {
		return req, nil
	}
	if !errors.Is(err, chat.ErrNoMessages) {
		return nil, badRequest("", "", notJSON)
	}
	messages := chat.Value(body).Get("messages")
	switch messages.Kind() {
	case chat.Absent, chat.Null:
		return nil, badRequest("messages", "missing_required_parameter", missing, "messages")
	case chat.Array:
		return nil, badRequest("messages", "invalid_type", wrongType, "messages", "an array of objects", "an array of something else")
	default:
		return nil, badRequest("messages", "invalid_type", wrongType, "messages", "an array of objects", named(messages.Kind()))
	}
}

// validate tells what OpenAI would refuse the request for, nil if for nothing.
func validate(req *chat.Request) *apiError {
	if len(req.Messages()) == 0 {
		return badRequest("messages", "empty_array", emptyArray, "messages")
	}
	for i := range req.Messages() {
		if e := validateMessage(i, &req.Messages()[i]); e != nil {
			return e
		}
	}
	return validatePairs(req.Messages())
}

func validateMessage(i int, m *chat.Message) *apiError {
	at := fmt.Sprintf("messages[%d]", i)
	switch role := m.Role(); role {
	case chat.System, chat.Developer, chat.User:
	case chat.Assistant:
		if e := validateCalls(at, m); e != nil {
			return e
		}
	case chat.Tool:
		if m.ToolCallID() == "" {
			return badRequest(fmt.Sprintf("messages.[%d].tool_call_id", i), "",
				"Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.")
		}
	case chat.Function:
		if m.Name() == "" {
			return badRequest(fmt.Sprintf("messages.[%d].name", i), "",
				"Missing parameter 'name': messages with role 'function' must have a 'name'.")
		}
	case "":
		return badRequest(at+".role", "missing_required_parameter", missing, at+".role")
	default:
		return badRequest(at+".role", "invalid_value", "Invalid value: '%s'. Supported values are: %s.", role,
			"'system', 'assistant', 'user', 'function', 'tool', and 'developer'")
	}
	return validateContent(i, m)
}

func validateContent(i int, m *chat.Message) *apiError {
	at := fmt.Sprintf("messages[%d].content", i)
	switch content := m.Content(); content.Kind() {
	case chat.String:
		return nil
	case chat.Array:
		return validateParts(at, content)
	case chat.Absent, chat.Null:
		speaks := m.HasCalls() || m.Field("refusal").Kind() == chat.String || m.Field("audio").Kind() == chat.Object
		if m.Role() == chat.Assistant && speaks {
			return nil
		}
		return badRequest(fmt.Sprintf("messages.[%d].content", i), "", "Invalid value for 'content': expected a string, got null.")
	default:
		return badRequest(at, "invalid_type", wrongType, at, "one of a string or array of objects", named(content.Kind()))
	}
}

// partNeeds is the member that a part of each type must have.
var partNeeds = map[string]string{
	"text": "text", "refusal": "refusal", "image_url": "image_url", "input_audio": "input_audio", "file": "file",
}

func validateParts(at string, content chat.Value) *apiError {
	n := 0
	for part := range content.Elements() {
		here := fmt.Sprintf("%s[%d]", at, n)
		n++
		if part.Kind() != chat.Object {
			return badRequest(here, "invalid_type", wrongType, here, "an object", named(part.Kind()))
		}
		typ := part.Get("type").Text()
		need, ok := partNeeds[typ]
		switch {
		case typ == "":
			return badRequest(here+".type", "missing_required_parameter", missing, here+".type")
		case !ok:
			return badRequest(here+".type", "invalid_value", "Invalid value: '%s'. Supported values are: %s.", typ,
				"'text', 'image_url', 'input_audio', 'refusal', and 'file'")
		case part.Get(need).Kind() == chat.Absent:
			return badRequest(here+"."+need, "missing_required_parameter", missing, here+"."+need)
		}
	}
	if n == 0 {
		return badRequest(at, "empty_array", emptyArray, at)
	}
	return nil
}

func validateCalls(at string, m *chat.Message) *apiError {
	at += ".tool_calls"
	calls := m.Field("tool_calls")
	switch calls.Kind() {
	case chat.Absent, chat.Null:
		return nil
	case chat.Array:
	default:
		return badRequest(at, "invalid_type", wrongType, at, "an array of objects", named(calls.Kind()))
	}
	n := 0
	for call := range calls.Elements() {
		if e := validateCall(fmt.Sprintf("%s[%d]", at, n), call); e != nil {
			return e
		}
		n++
	}
	if n == 0 {
		return badRequest(at, "empty_array", emptyArray, at)
	}
	return nil
}

func validateCall(at string, call chat.Value) *apiError {
	typ, input := call.Get("type").Text(), "arguments"
	if typ == "custom" {
		input = "input"
	}
	body := call.Get(typ)
	for _, need := range []struct {
		path  string
		value chat.Value
	}{
		{"id", call.Get("id")},
		{"type", call.Get("type")},
		{typ + ".name", body.Get("name")},
		{typ + "." + input, body.Get(input)},
	} {
		switch {
		case need.value.Kind() != chat.String:
			return badRequest(at+"."+need.path, "missing_required_parameter", missing, at+"."+need.path)
		case need.path == "type" && typ != "function" && typ != "custom":
			return badRequest(at+".type", "invalid_value", "Invalid value: '%s'. Supported values are: 'function' and 'custom'.", typ)
		}
	}
	return nil
}

// pairing is the state of a walk over messages that holds calls and results
// together: the results of a message's calls follow it at once, each call having
// one, in whatever order.
type pairing struct {
	caller   int             // the message whose calls are open
	asked    []string        // the ids of its calls, in their order
	open     map[string]bool // those without a result yet
	function *string         // the open legacy call
}

func validatePairs(messages []chat.Message) *apiError {
	p := pairing{open: map[string]bool{}}
	for i := range messages {
		m := &messages[i]
		if m.Role().Result() {
			if e := p.result(i, m); e != nil {
				return e
			}
			continue
		}
		if e := p.settled(); e != nil {
			return e
		}
		p.calls(i, m)
	}
	return p.settled()
}

// calls opens the calls that message i makes.
func (p *pairing) calls(i int, m *chat.Message) {
	p.caller, p.asked, p.function = i, p.asked[:0], nil
	for _, call := range m.ToolCalls() {
		if call.Legacy {
			p.function = &call.Name
			continue
		}
		p.asked = append(p.asked, call.ID)
		p.open[call.ID] = true
	}
}

// result closes the call that message i answers.
func (p *pairing) result(i int, m *chat.Message) *apiError {
	callers := "tool_calls"
	if m.Role() == chat.Function {
		if p.function != nil && *p.function == m.Name() {
			p.function = nil
			return nil
		}
		callers = "function_call"
	} else if p.open[m.ToolCallID()] {
		delete(p.open, m.ToolCallID())
		return nil
	}
	return badRequest(fmt.Sprintf("messages.[%d].role", i), "", orphan, m.Role(), callers)
}

// settled tells whether a call is still open where none may be.
func (p *pairing) settled() *apiError {
	at := fmt.Sprintf("messages.[%d].role", p.caller)
	if len(p.open) > 0 {
		left := slices.DeleteFunc(slices.Clone(p.asked), func(id string) bool { return !p.open[id] })
		return badRequest(at, "", unanswered, strings.Join(left, ", "))
	}
	if p.function != nil {
		return badRequest(at, "", unansweredFunction, *p.function)
	}
	return nil
}

// named names a kind of value as OpenAI's errors do.
func named(kind chat.Kind) string {
	switch kind {
	case chat.Null:
		return "null"
	case chat.Bool:
		return "a boolean"
	case chat.Number:
		return "a number"
	case chat.String:
		return "a string"
	case chat.Array:
		return "an array"
	default:
		return "an object"
	}
}
