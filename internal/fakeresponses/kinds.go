package fakeresponses

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"killick/internal/fakeserver/openaiapi"
)

// want is what a member must be.
type want int

const (
	aString want = iota
	anArray
	anObject
	aBoolean
	anything
	stringOrNull
	arrayOrNull
	stringOrParts // a string, or an array of input_text, input_image and input_file
)

// wantNames are worded as OpenAI's errors word them.
var wantNames = map[want]string{aString: "a string", anArray: "an array of objects",
	anObject: "an object", aBoolean: "a boolean", stringOrNull: "a string", arrayOrNull: "an array",
	stringOrParts: "one of a string or array of objects"}

func (w want) fits(v any) bool {
	switch w {
	case aString:
		_, ok := v.(string)
		return ok
	case anArray:
		_, ok := v.([]any)
		return ok
	case anObject:
		return asObject(v) != nil
	case aBoolean:
		_, ok := v.(bool)
		return ok
	case stringOrNull:
		return v == nil || aString.fits(v)
	case arrayOrNull:
		return v == nil || anArray.fits(v)
	case stringOrParts:
		return aString.fits(v) || anArray.fits(v)
	}
	return true
}

// kind is what items of a type must be like.
type kind struct {
	needs    map[string]want
	prefix   string   // of ids; "" for any
	statuses []string // if it has one; nil for any
	mustHave bool     // a status
	// the first of these that an item has must be a string, and it must have one of them
	oneOf []string
}

var (
	usual    = []string{"in_progress", "completed", "incomplete"}
	outcomes = []string{"completed", "failed"}
)

// kinds are the types of items and the members that openai-go v3.95.0 marks as required in
// ResponseInputItemUnionParam. Those that Codex leaves out when it sends items back are not
// required: ids of messages, calls, reasoning and searches (openai/codex,
// codex-rs/protocol/src/models.rs).
var kinds = map[string]kind{
	"message": {prefix: "msg", statuses: usual}, // see checkMessage
	"function_call": {prefix: "fc", statuses: usual, needs: map[string]want{
		"arguments": aString, "call_id": aString, "name": aString}},
	"function_call_output": {statuses: usual, oneOf: []string{"call_id", "name"},
		needs: map[string]want{"output": stringOrParts}},
	"custom_tool_call": {prefix: "ctc", needs: map[string]want{
		"call_id": aString, "input": aString, "name": aString}},
	"custom_tool_call_output": {needs: map[string]want{
		"call_id": aString, "output": stringOrParts}},
	"local_shell_call": {statuses: usual, mustHave: true, needs: map[string]want{
		"call_id": aString, "action": anObject}},
	"local_shell_call_output": {statuses: usual, oneOf: []string{"call_id", "id"},
		needs: map[string]want{"output": aString}},
	"shell_call": {statuses: usual, needs: map[string]want{
		"call_id": aString, "action": anObject}},
	"shell_call_output": {statuses: usual, needs: map[string]want{
		"call_id": aString, "output": anArray}},
	"apply_patch_call": {statuses: usual[:2], mustHave: true, needs: map[string]want{
		"call_id": aString, "operation": anObject}},
	"apply_patch_call_output": {statuses: outcomes, mustHave: true, needs: map[string]want{
		"call_id": aString}},
	"computer_call": {statuses: usual, mustHave: true, needs: map[string]want{
		"id": aString, "call_id": aString, "pending_safety_checks": anArray}},
	"computer_call_output": {statuses: usual, needs: map[string]want{
		"call_id": aString, "output": anObject}},
	"tool_search_call":   {statuses: usual, needs: map[string]want{"arguments": anything}},
	"tool_search_output": {statuses: usual, needs: map[string]want{"tools": anArray}},
	"mcp_call": {needs: map[string]want{
		"id": aString, "arguments": aString, "name": aString, "server_label": aString}},
	"mcp_list_tools": {needs: map[string]want{
		"id": aString, "server_label": aString, "tools": anArray}},
	"mcp_approval_request": {needs: map[string]want{
		"id": aString, "arguments": aString, "name": aString, "server_label": aString}},
	"mcp_approval_response": {needs: map[string]want{
		"approval_request_id": aString, "approve": aBoolean}},
	"web_search_call": {},
	"file_search_call": {mustHave: true, needs: map[string]want{
		"id": aString, "queries": anArray}},
	"code_interpreter_call": {mustHave: true, needs: map[string]want{
		"id": aString, "container_id": aString, "code": stringOrNull, "outputs": arrayOrNull}},
	"image_generation_call": {mustHave: true, needs: map[string]want{
		"id": aString, "result": stringOrNull}},
	"reasoning": {prefix: "rs", statuses: usual, oneOf: []string{"encrypted_content", "id"},
		needs: map[string]want{"summary": anArray}},
	"compaction":           {needs: map[string]want{"encrypted_content": aString}},
	"compaction_trigger":   {},
	"item_reference":       {needs: map[string]want{"id": aString}},
	"additional_tools":     {needs: map[string]want{"tools": anArray}},
	"configuration_update": {},
	"program": {needs: map[string]want{
		"id": aString, "call_id": aString, "code": aString, "fingerprint": aString}},
	"program_output": {statuses: []string{"completed", "incomplete"}, mustHave: true,
		needs: map[string]want{"id": aString, "call_id": aString, "result": aString}},
}

// check refuses an item whose members are not what its type asks for.
func (k kind) check(at string, item Object) *openaiapi.Error {
	for _, name := range sortedNames(k.needs) {
		v, there := item[name]
		switch w := k.needs[name]; {
		case !there:
			return openaiapi.Lacks(at + "." + name)
		case !w.fits(v):
			return openaiapi.Mistyped(at+"."+name, wantNames[w], kindOf(v))
		}
	}
	if k.oneOf != nil && !slices.ContainsFunc(k.oneOf, item.Has) {
		return openaiapi.Lacks(at + "." + k.oneOf[0])
	}
	for _, name := range []string{"id", "call_id", "encrypted_content", "name"} {
		if item.Has(name) && !aString.fits(item[name]) {
			return openaiapi.Mistyped(at+"."+name, wantNames[aString], kindOf(item[name]))
		}
	}
	if k.mustHave && !item.Has("status") {
		return openaiapi.Lacks(at + ".status")
	}
	if status := item.Text("status"); item.Has("status") && k.statuses != nil &&
		!slices.Contains(k.statuses, status) {
		return openaiapi.Unsupported(at+".status", status, quoted(k.statuses))
	}
	if id := item.Text("id"); id != "" && !strings.HasPrefix(id, k.prefix) {
		return openaiapi.BadRequest(at+".id", "invalid_value",
			"Invalid '%s.id': '%s'. Expected an ID that begins with '%s'.", at, id, k.prefix)
	}
	return nil
}

// quoted lists values as OpenAI's errors do.
func quoted(values []string) string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = "'" + v + "'"
	}
	switch last := len(words) - 1; last {
	case 0:
		return words[0]
	case 1:
		return words[0] + " and " + words[1]
	default:
		return strings.Join(words[:last], ", ") + ", and " + words[last]
	}
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// inputAt names an item of the input as OpenAI's errors do.
func inputAt(i int) string { return fmt.Sprintf("input[%d]", i) }
