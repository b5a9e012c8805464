package fakeresponses

import (
	"slices"
	"strings"

	"killick/internal/fakeserver/openaiapi"
)

// calls are the types of calls whose output the client sends, by the types of that output. Codex
// answers calls of the local shell as it answers those of functions (openai/codex,
// codex-rs/protocol/src/models.rs has no other output for them).
var calls = map[string][]string{
	"function_call":    {"function_call_output"},
	"custom_tool_call": {"custom_tool_call_output"},
	"local_shell_call": {"local_shell_call_output", "function_call_output"},
	"shell_call":       {"shell_call_output"},
	"apply_patch_call": {"apply_patch_call_output"},
	"computer_call":    {"computer_call_output"},
	"tool_search_call": {"tool_search_output"},
	"program":          {"program_output"},
}

// isOutput reports whether items of a type are outputs of calls.
func isOutput(typ string) bool {
	for _, outputs := range calls {
		if slices.Contains(outputs, typ) {
			return true
		}
	}
	return false
}

// spoken names a type as errors do: function call, custom tool call.
func spoken(typ string) string { return strings.ReplaceAll(typ, "_", " ") }

// pairing is the state of a walk over items that holds calls and outputs together by call_id.
// Outputs need not follow their calls at once: a model may go on to say something
// (leookun/cursor-byok#307).
type pairing struct {
	open     map[string]Object // calls without an output yet, by call_id
	order    []string          // of all calls
	answered map[string]bool
	byID     map[string]string // call_ids by id of the item

	approvals map[string]bool // ids of requests for approval
}

// checkPairs refuses outputs without a call before them, calls without an output, and a second call
// or output of the same call_id. A request may end with calls alone where that is not asked for.
func checkPairs(items []Object, to purpose) *openaiapi.Error {
	p := pairing{open: map[string]Object{}, answered: map[string]bool{}, byID: map[string]string{},
		approvals: map[string]bool{}}
	for _, item := range items {
		typ := item.Text("type")
		switch {
		case calls[typ] != nil:
			if e := p.call(item); e != nil {
				return e
			}
		case isOutput(typ):
			if e := p.output(item); e != nil {
				return e
			}
		case typ == "mcp_approval_request":
			p.approvals[item.Text("id")] = true
		case typ == "mcp_approval_response" && !p.approvals[item.Text("approval_request_id")]:
			return invalidInput(noApproval, item.Text("approval_request_id"))
		}
	}
	for i := len(items) - 1; to != toCreate && i >= 0 && calls[items[i].Text("type")] != nil; i-- {
		delete(p.open, items[i].Text("call_id"))
	}
	for _, id := range p.order {
		if call, open := p.open[id]; open {
			return invalidInput(noOutput, spoken(call.Text("type")), id)
		}
	}
	return nil
}

func (p *pairing) call(item Object) *openaiapi.Error {
	id, typ := item.Text("call_id"), item.Text("type")
	if id == "" {
		return nil // a search that the server did
	}
	if p.open[id] != nil || p.answered[id] {
		return invalidInput(duplicateCall, id)
	}
	p.byID[item.Text("id")] = id
	p.open[id] = item
	if byServer := typ == "program" || item.Text("execution") == "server"; !byServer &&
		item["async"] != true {
		p.order = append(p.order, id)
	}
	return nil
}

func (p *pairing) output(item Object) *openaiapi.Error {
	id, typ := item.Text("call_id"), item.Text("type")
	if id == "" && typ == "local_shell_call_output" {
		if id = p.byID[item.Text("id")]; id == "" {
			id = item.Text("id")
		}
	}
	if id == "" {
		return nil // an output that names its tool, or a search that the server did
	}
	call := p.open[id]
	switch {
	case p.answered[id]:
		return invalidInput(duplicateOutput, typ, id)
	case call == nil || !slices.Contains(calls[call.Text("type")], typ):
		return invalidInput(noCall, spoken(strings.TrimSuffix(typ, "_output")), id)
	}
	delete(p.open, id)
	p.answered[id] = true
	return nil
}
