package responses

import "killick/rawjson"

// side is whose an item is, and so which message of the view it becomes.
type side byte

const (
	// unknown: nobody has described the type. A message of its own, without a role.
	unknown side = iota
	// message: whose it is follows from its role.
	message
	// turn: the model made it, or the server while the model worked. Items in a row are one
	// message of the assistant.
	turn
	// result: it answers a call. A message of the tool.
	result
	// setting: it changes what the model may do from there on. A message of the developer, so it
	// is sent whatever is folded.
	setting
	// held: it stands for what is on the server. A message of its own, without a role.
	held
)

// kind is what items of a type are.
type kind struct {
	name string // of the type
	side side
	// How the call that it makes is read, nil if it makes none that another item answers.
	call func(item rawjson.Value) call
	// The member that holds what a result says.
	says string
	// How that may be replaced.
	form form
	// It must be sent as it came.
	fixed bool
	// The server may have both sides of the call: such an item is part of the turn.
	hosted bool
}

// form is what may stand in place of the output of a call.
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

var kinds = named(map[string]kind{
	"message": {side: message},

	reasoningType:           {side: turn},
	"web_search_call":       {side: turn},
	"file_search_call":      {side: turn},
	"code_interpreter_call": {side: turn},
	"image_generation_call": {side: turn},
	"mcp_call":              {side: turn},
	"compaction":            {side: turn, fixed: true},

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

	"item_reference":     {side: held, fixed: true},
	"compaction_trigger": {side: held, fixed: true},
})

func named(kinds map[string]kind) map[string]kind {
	for name, k := range kinds {
		k.name = name
		kinds[name] = k
	}
	return kinds
}

// kindOf returns the kind that a type names, and its name.
func kindOf(typ rawjson.Value) (kind, string) {
	if k, ok := kinds[string(typ.StringBody())]; ok {
		return k, k.name
	}
	name := typ.Text() // of a type that nobody has described, or spelled with escapes
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

// qualified returns the name of a tool, with the namespace that it is in before a dot.
func qualified(item rawjson.Value) string {
	name := item.Get("name").Text()
	if space := item.Get("namespace").Text(); space != "" {
		return space + "." + name
	}
	return name
}

// callOf reads the calls of a tool that has one name: what is to be done is the first there is of
// some members.
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
