package fakeupstream

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"killick/chat"
	"killick/internal/fakeserver/openaiapi"
	"killick/rawjson"
	"killick/view"
)

// The wordings of this file were taken from bug reports of 2024 to 2026 that
// quote OpenAI's answers.

const (
	//nolint:misspell // the spelling is OpenAI's
	orphan = "Invalid parameter: messages with role '%s' must be a response to a preceeding " +
		"message with '%s'."
	unanswered = "An assistant message with 'tool_calls' must be followed by tool messages " +
		"responding to each 'tool_call_id'. The following tool_call_ids did not have response " +
		"messages: %s"
	// OpenAI itself lets a function_call stand alone. A proxy that splits the
	// pair loses a result all the same, so it is refused here.
	unansweredFunction = "An assistant message with 'function_call' must be followed by a " +
		"function message with its name. The following function did not have a response message: %s"
)

// Check returns what the upstream refuses a chat request for, in OpenAI's words and with the member
// that it is about; nil if it accepts it. Keys and windows are not checked.
func Check(body []byte) error {
	req, refused := parse(body)
	if refused == nil {
		refused = validate(req)
	}
	if refused != nil {
		return fmt.Errorf("%s (param %q)", refused.Message, refused.Param)
	}
	return nil
}

// parse returns the view of a chat request, or why it cannot be read.
func parse(body []byte) (*view.Request, *openaiapi.Error) {
	req, err := chat.Parse(body)
	if err == nil {
		return req, nil
	}
	if !errors.Is(err, view.ErrNoMessages) {
		return nil, openaiapi.BadRequest("", "", openaiapi.NotJSON)
	}
	messages := rawjson.Value(bytes.TrimSpace(body)).Get("messages")
	switch messages.Kind() {
	case rawjson.Absent, rawjson.Null:
		return nil, openaiapi.Lacks("messages")
	case rawjson.Array:
		return nil, openaiapi.Mistyped("messages", "an array of objects",
			"an array of something else")
	default:
		return nil, mistyped("messages", "an array of objects", messages)
	}
}

// validate returns what OpenAI would refuse the request for, nil if for nothing.
func validate(req *view.Request) *openaiapi.Error {
	if len(req.Messages()) == 0 {
		return openaiapi.Empty("messages")
	}
	for i := range req.Messages() {
		if e := validateMessage(i, &req.Messages()[i]); e != nil {
			return e
		}
	}
	return validatePairs(req.Messages())
}

// place names a member below a message as newer errors of OpenAI's do; older
// ones put a dot before the index.
func place(message int, below string, args ...any) string {
	return fmt.Sprintf("messages[%d]", message) + fmt.Sprintf(below, args...)
}

func validateMessage(i int, m *view.Message) *openaiapi.Error {
	switch role := m.Role(); role {
	case view.System, view.Developer, view.User:
	case view.Assistant:
		if e := validateCalls(i, m); e != nil {
			return e
		}
	case view.Tool:
		if m.ToolCallID() == "" {
			return openaiapi.BadRequest(fmt.Sprintf("messages.[%d].tool_call_id", i), "",
				"Missing parameter 'tool_call_id': messages with role 'tool' must have a "+
					"'tool_call_id'.")
		}
	case view.Function:
		if m.Name() == "" {
			return openaiapi.BadRequest(fmt.Sprintf("messages.[%d].name", i), "",
				"Missing parameter 'name': messages with role 'function' must have a 'name'.")
		}
	case "":
		return openaiapi.Lacks(place(i, ".role"))
	default:
		return openaiapi.Unsupported(place(i, ".role"), string(role),
			"'system', 'assistant', 'user', 'function', 'tool', and 'developer'")
	}
	return validateContent(i, m)
}

func validateContent(i int, m *view.Message) *openaiapi.Error {
	switch content := m.Content(); content.Kind() {
	case rawjson.String:
		return nil
	case rawjson.Array:
		return validateParts(i, content)
	case rawjson.Absent, rawjson.Null:
		speaks := m.HasCalls() || m.Field("refusal").Kind() == rawjson.String ||
			m.Field("audio").Kind() == rawjson.Object
		if m.Role() == view.Assistant && speaks {
			return nil
		}
		return openaiapi.BadRequest(fmt.Sprintf("messages.[%d].content", i), "",
			"Invalid value for 'content': expected a string, got null.")
	default:
		return mistyped(place(i, ".content"), "one of a string or array of objects", content)
	}
}

// partNeeds is the member that a part of each type must have.
var partNeeds = map[string]string{
	"text": "text", "refusal": "refusal", "image_url": "image_url", "input_audio": "input_audio",
	"file": "file",
}

func validateParts(i int, content rawjson.Value) *openaiapi.Error {
	n := 0
	for part := range content.Elements() {
		if part.Kind() != rawjson.Object {
			return mistyped(place(i, ".content[%d]", n), "an object", part)
		}
		typ := part.Get("type").Text()
		need, ok := partNeeds[typ]
		switch {
		case typ == "":
			return openaiapi.Lacks(place(i, ".content[%d].type", n))
		case !ok:
			return openaiapi.Unsupported(place(i, ".content[%d].type", n), typ,
				"'text', 'image_url', 'input_audio', 'refusal', and 'file'")
		case part.Get(need).Kind() == rawjson.Absent:
			return openaiapi.Lacks(place(i, ".content[%d].%s", n, need))
		}
		n++
	}
	if n == 0 {
		return openaiapi.Empty(place(i, ".content"))
	}
	return nil
}

func validateCalls(i int, m *view.Message) *openaiapi.Error {
	calls := m.Field("tool_calls")
	switch calls.Kind() {
	case rawjson.Absent, rawjson.Null:
		return nil
	case rawjson.Array:
	default:
		return mistyped(place(i, ".tool_calls"), "an array of objects", calls)
	}
	n := 0
	for call := range calls.Elements() {
		if need := lacking(call); need != "" {
			return openaiapi.Lacks(place(i, ".tool_calls[%d].%s", n, need))
		}
		if typ := call.Get("type").Text(); typ != "function" && typ != "custom" {
			return openaiapi.Unsupported(place(i, ".tool_calls[%d].type", n), typ,
				"'function' and 'custom'")
		}
		n++
	}
	if n == 0 {
		return openaiapi.Empty(place(i, ".tool_calls"))
	}
	return nil
}

// lacking returns the first member that a call must have and has not. Of a call
// of unknown type it asks no more than the type.
func lacking(call rawjson.Value) string {
	input := "arguments"
	switch {
	case call.Get("id").Kind() != rawjson.String:
		return "id"
	case call.Get("type").Kind() != rawjson.String:
		return "type"
	case call.Get("type").Is("custom"):
		input = "input"
	case !call.Get("type").Is("function"):
		return ""
	}
	typ := call.Get("type").Text()
	body := call.Get(typ)
	for _, name := range []string{"name", input} {
		if body.Get(name).Kind() != rawjson.String {
			return typ + "." + name
		}
	}
	return ""
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

func validatePairs(messages []view.Message) *openaiapi.Error {
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
func (p *pairing) calls(i int, m *view.Message) {
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
func (p *pairing) result(i int, m *view.Message) *openaiapi.Error {
	callers := "tool_calls"
	if m.Role() == view.Function {
		if p.function != nil && *p.function == m.Name() {
			p.function = nil
			return nil
		}
		callers = "function_call"
	} else if p.open[m.ToolCallID()] {
		delete(p.open, m.ToolCallID())
		return nil
	}
	return openaiapi.BadRequest(fmt.Sprintf("messages.[%d].role", i), "", orphan, m.Role(), callers)
}

// settled reports whether a call is still open where none may be.
func (p *pairing) settled() *openaiapi.Error {
	if len(p.open) == 0 && p.function == nil {
		return nil
	}
	at := fmt.Sprintf("messages.[%d].role", p.caller)
	if len(p.open) > 0 {
		left := slices.DeleteFunc(slices.Clone(p.asked), func(id string) bool {
			return !p.open[id]
		})
		return openaiapi.BadRequest(at, "", unanswered, strings.Join(left, ", "))
	}
	return openaiapi.BadRequest(at, "", unansweredFunction, *p.function)
}

func mistyped(at, want string, got rawjson.Value) *openaiapi.Error {
	return openaiapi.Mistyped(at, want, kinds[got.Kind()])
}

// kinds names the kinds of values as OpenAI's errors do.
var kinds = map[rawjson.Kind]string{
	rawjson.Null: "null", rawjson.Bool: "a boolean", rawjson.Number: "a number",
	rawjson.String: "a string",
	rawjson.Array:  "an array", rawjson.Object: "an object",
}

// CheckTurns returns what an upstream with a strict chat template refuses a chat
// request for; nil if it accepts it. As in the template of Mistral's instruct
// models, instructions are left out, so are assistant messages that call tools
// and the results of these; what is left must begin with a user's turn, and
// turns must alternate.
func CheckTurns(body []byte) error {
	req, refused := parse(body)
	if refused != nil {
		return errors.New(refused.Message)
	}
	if !alternates(req.Messages()) {
		return fmt.Errorf("%s", mustAlternate) // in the template's own words
	}
	return nil
}

// mustAlternate is how the chat templates of Llama 2 and Mistral say it; servers
// such as vLLM hand it on with status 400.
const mustAlternate = "After the optional system message, conversation roles must alternate " +
	"user/assistant/user/assistant/..."

func alternates(messages []view.Message) bool {
	users := true // whose turn it is
	for i := range messages {
		m := &messages[i]
		if m.Role().Instructs() || m.Role().Result() || m.HasCalls() {
			continue
		}
		if (m.Role() == view.User) != users {
			return false
		}
		users = !users
	}
	return true
}
