package responses

import (
	"killick/rawjson"
	"killick/view"
)

// side is the author of an item, which decides what message of the view it becomes.
type side byte

const (
	// unknown: the type is not documented. A message of its own, without a role.
	unknown side = iota
	// message: its role decides.
	message
	// turn: the model made it, or the server did while the model worked. Consecutive ones are one
	// message of the assistant.
	turn
	// result: it answers a call. A message of the tool.
	result
	// setting: it changes what the model may do from there on. A message of the developer, which is
	// never folded.
	setting
	// command: it tells the server to do something. A message of its own, without a role.
	command
)

// kind is how items of a type are read and changed.
type kind struct {
	name string // of the type
	side side
	// call reads the call that the item makes; nil if it makes none that another item answers.
	call func(item rawjson.Value) call
	// says is the member of a result that has the output.
	says string
	// form is how the output may be replaced.
	form form
	// fixed: it must be sent as received.
	fixed bool
	// hosted: the server may make the call and answer it. Such an item is part of the turn.
	hosted bool
	// ran reads the call that the server ran, and its result; nil if the item is none.
	ran func(item rawjson.Value) view.HostedCall
}

// form is what an output may be replaced by.
type form byte

const (
	// locked: nothing.
	locked form = iota
	// text: a string.
	text
	// parts: a string, or a list of parts.
	parts
	// chunks: a list of what each command printed.
	chunks
)

// call is how a call is spelled.
type call struct {
	typ, id, name string
	arguments     rawjson.Value
}

// referenceType is the type of an item that stands for one on the server. Clients know the ids of
// what the model made (AI SDK, `@ai-sdk/openai` 4.0.118: of its reasoning and its messages).
const referenceType = "item_reference"

// reasoningType is the type of reasoning items. Their encrypted content is bound to the
// organization that it was made for, and may expire. No documentation says that it is checked
// against the items before it.
const reasoningType = "reasoning"

var kinds = named(map[string]kind{
	"message": {side: message},

	reasoningType:           {side: turn},
	"web_search_call":       {side: turn, ran: ranWebSearch},
	"file_search_call":      {side: turn, ran: ranFileSearch},
	"code_interpreter_call": {side: turn, ran: ranCode},
	"image_generation_call": {side: turn, ran: ranImage},
	"mcp_call":              {side: turn, ran: ranMCP},
	"compaction":            {side: turn, fixed: true},
	referenceType:           {side: turn},

	"function_call":    {side: turn, call: functionCall},
	"custom_tool_call": {side: turn, call: customCall},
	"local_shell_call": {side: turn, call: callOf("local_shell", "action")},
	"shell_call":       {side: turn, call: callOf("shell", "action")},
	"apply_patch_call": {side: turn, call: callOf("apply_patch", "operation")},
	"computer_call":    {side: turn, call: callOf("computer", "actions", "action")},
	"program":          {side: turn, call: callOf("program", "code")},
	"tool_search_call": {side: turn, fixed: true, hosted: true,
		call: callOf("tool_search", "arguments")},
	"mcp_approval_request": {side: turn, fixed: true, call: approvalRequest},

	"function_call_output":    {side: result, says: "output", form: parts},
	"custom_tool_call_output": {side: result, says: "output", form: parts},
	"local_shell_call_output": {side: result, says: "output", form: text},
	"shell_call_output":       {side: result, says: "output", form: chunks},
	"apply_patch_call_output": {side: result, says: "output", form: text},
	"computer_call_output":    {side: result, says: "output"},
	"program_output":          {side: result, says: "result"}, // of a program with a fingerprint
	"tool_search_output":      {side: result, fixed: true, hosted: true},
	"mcp_approval_response":   {side: result, fixed: true},

	"additional_tools":     {side: setting, fixed: true},
	"configuration_update": {side: setting, fixed: true},
	"mcp_list_tools":       {side: setting, fixed: true},

	"compaction_trigger": {side: command, fixed: true},
})

func named(kinds map[string]kind) map[string]kind {
	for name, k := range kinds {
		k.name = name
		kinds[name] = k
	}
	return kinds
}

// kindOf returns the kind and the name of a type, a JSON string.
func kindOf(typ rawjson.Value) (kind, string) {
	if k, ok := kinds[string(typ.StringBody())]; ok {
		return k, k.name
	}
	name := typ.Text() // the type is unknown, or spelled with escapes
	return kinds[name], name
}

func functionCall(item rawjson.Value) call {
	return call{"function", item.Get("call_id").Text(), qualified(item), item.Get("arguments")}
}

func customCall(item rawjson.Value) call {
	return call{"custom", item.Get("call_id").Text(), qualified(item), item.Get("input")}
}

func approvalRequest(item rawjson.Value) call {
	return call{"function", item.Get("id").Text(), item.Get("name").Text(), item.Get("arguments")}
}

// qualified returns the name of a tool, after its namespace and a dot if it has a namespace.
func qualified(item rawjson.Value) string {
	name := item.Get("name").Text()
	if space := item.Get("namespace").Text(); space != "" {
		return space + "." + name
	}
	return name
}

// callOf returns a function that reads the calls of a tool with a fixed name. The arguments are the
// first of some members that is present.
func callOf(name string, arguments ...string) func(rawjson.Value) call {
	return func(item rawjson.Value) call {
		c := call{typ: name, id: item.Get("call_id").Text(), name: name}
		for _, member := range arguments {
			if c.arguments = item.Get(member); len(c.arguments) > 0 &&
				c.arguments.Kind() != rawjson.Null {
				break
			}
		}
		return c
	}
}
