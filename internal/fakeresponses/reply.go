package fakeresponses

import "cmp"

// Reply is what the model answers to one request: reasoning, a message, and calls, in this order.
type Reply struct {
	Summary     string // of the reasoning; if empty, there is none
	NoReasoning bool   // leaves the reasoning item out

	Content string
	Calls   []Call

	Incomplete string // why the response is incomplete: max_output_tokens; "" if it is not
	Status     int    // if not zero, OpenAI's error for it is answered instead
}

// Call is a call that the model makes.
type Call struct {
	Type      string // of the item; if empty, function_call
	ID        string // the call_id; if empty, made of the request and the number of the call
	Name      string // of a function or a custom tool
	Namespace string // of a function or a custom tool; "" for none
	Input     string // the arguments of a function, JSON text; of a custom tool, free text

	Commands []string // of shell_call and, as the words of one command, local_shell_call

	Operation string // of apply_patch_call: create_file, update_file or delete_file
	Path      string
	Diff      string
}

// reasoningTokens is how many tokens a model thinks.
const reasoningTokens = 64

// reasons reports whether the reply begins with a reasoning item.
func (r *Request) reasons(reply Reply) bool {
	return !reply.NoReasoning && r.Body.Object("reasoning").Text("effort") != "none"
}

// output builds the items of a reply.
func (r *Request) output(reply Reply, id func(n int) string) (items []Object) {
	if reply.Content != "" || len(reply.Calls) == 0 {
		items = append(items, reply.message("msg_"+id(1)))
	}
	for i, call := range reply.Calls {
		items = append(items, call.item(id(2+i)))
	}
	if !r.reasons(reply) {
		return items
	}
	reasoning := Object{"type": "reasoning", "id": "rs_" + id(0), "summary": []any{}}
	if reply.Summary != "" {
		reasoning["summary"] = []any{Object{"type": "summary_text", "text": reply.Summary}}
	}
	reasoning["encrypted_content"] = seal(r.organization, sealed{Type: "reasoning",
		ID: reasoning.Text("id"), Tokens: reasoningTokens, Next: marker(items[0])})
	return append([]Object{reasoning}, items...)
}

func (reply Reply) message(id string) Object {
	phase := "final_answer"
	if len(reply.Calls) > 0 {
		phase = "commentary"
	}
	parts := []any{Object{"type": "output_text", "text": reply.Content, "annotations": []any{},
		"logprobs": []any{}}}
	return Object{"type": "message", "id": id, "status": "completed", "role": "assistant",
		"phase": phase, "content": parts}
}

// idPrefixes begin the ids of calls; fc_ those of others.
var idPrefixes = map[string]string{"custom_tool_call": "ctc_", "local_shell_call": "lsh_",
	"shell_call": "sh_", "apply_patch_call": "apc_"}

// item returns the call as an item of the output.
func (c Call) item(id string) Object {
	callID, typ := c.ID, c.Type
	callID = cmp.Or(callID, "call_"+id[:24])
	typ = cmp.Or(typ, "function_call")
	prefix, ok := idPrefixes[typ]
	if !ok {
		prefix = "fc_"
	}
	item := Object{"type": typ, "id": prefix + id, "call_id": callID, "status": "completed"}
	switch typ {
	case "custom_tool_call":
		delete(item, "status")
		item["name"], item["input"] = c.Name, c.Input
	case "local_shell_call":
		item["action"] = Object{"type": "exec", "command": anyStrings(c.Commands), "env": Object{}}
	case "shell_call":
		item["action"] = Object{"commands": anyStrings(c.Commands), "timeout_ms": nil,
			"max_output_length": nil}
		item["environment"] = Object{"type": "local"}
	case "apply_patch_call":
		operation := Object{"type": c.Operation, "path": c.Path}
		if c.Operation != "delete_file" {
			operation["diff"] = c.Diff
		}
		item["operation"] = operation
	default:
		item["name"], item["arguments"] = c.Name, c.Input
	}
	if c.Namespace != "" {
		item["namespace"] = c.Namespace
	}
	return item
}

func anyStrings(list []string) []any {
	all := make([]any, len(list))
	for i, s := range list {
		all[i] = s
	}
	return all
}
