package responses

// Items of each type, as openai-go v3.96.0 describes them.
const (
	userText  = `{"role":"user","content":"do it"}`
	userParts = `{"type":"message","role":"user","content":[{"type":"input_text","text":"do it"}]}`
	developer = `{"type":"message","role":"developer","content":"be brief"}`
	reasoning = `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}],` +
		`"encrypted_content":"gAAA"}`
	said = `{"type":"message","id":"msg_1","role":"assistant","status":"completed",` +
		`"phase":"commentary","content":[{"type":"output_text","text":"I look",` +
		`"annotations":[]}]}`
	refused = `{"type":"message","role":"assistant","content":[{"type":"refusal",` +
		`"refusal":"no"}]}`
	callRead = `{"type":"function_call","id":"fc_1","call_id":"c1","name":"read",` +
		`"arguments":"{\"path\":\"a.go\"}","status":"completed"}`
	readA     = `{"type":"function_call_output","call_id":"c1","output":"package a"}`
	readParts = `{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text",` +
		`"text":"package a","prompt_cache_breakpoint":{"mode":"explicit"}}]}`
	callCustom = `{"type":"custom_tool_call","call_id":"c2","name":"apply_patch",` +
		`"input":"*** Begin Patch\n*** Add File: b.go\n+b\n*** End Patch"}`
	custom    = `{"type":"custom_tool_call_output","call_id":"c2","output":"Success."}`
	callLocal = `{"type":"local_shell_call","id":"lsh_1","call_id":"c3","status":"completed",` +
		`"action":{"type":"exec","command":["bash","-lc","go test ./..."],"env":{},` +
		`"working_directory":"/src"}}`
	local     = `{"type":"local_shell_call_output","id":"c3","output":"{\"output\":\"ok\"}"}`
	callShell = `{"type":"shell_call","call_id":"c4","action":{"commands":["ls","pwd"],` +
		`"timeout_ms":1000}}`
	shell = `{"type":"shell_call_output","call_id":"c4","output":[{"stdout":"a.go","stderr":"",` +
		`"outcome":{"type":"exit","exit_code":0}},{"stdout":"","stderr":"no",` +
		`"outcome":{"type":"exit","exit_code":2}}]}`
	callPatch = `{"type":"apply_patch_call","call_id":"c5","status":"completed",` +
		`"operation":{"type":"update_file","path":"a.go","diff":"@@\n-a\n+b"}}`
	patched = `{"type":"apply_patch_call_output","call_id":"c5","status":"failed",` +
		`"output":"no such line"}`
	callScreen = `{"type":"computer_call","id":"cu_1","call_id":"c6","status":"completed",` +
		`"pending_safety_checks":[],"action":{"type":"screenshot"}}`
	screen = `{"type":"computer_call_output","call_id":"c6",` +
		`"output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}}`
	program = `{"type":"program","id":"pg_1","call_id":"c7","code":"print(1)",` +
		`"fingerprint":"fp"}`
	programRan = `{"type":"program_output","id":"po_1","call_id":"c7","result":"1",` +
		`"status":"completed"}`
	callSearch = `{"type":"tool_search_call","call_id":"c8","execution":"client",` +
		`"arguments":{"query":"mail"},"status":"completed"}`
	found = `{"type":"tool_search_output","call_id":"c8","execution":"client","tools":[],` +
		`"status":"completed"}`
	ownSearch = `{"type":"tool_search_call","call_id":null,"execution":"server","arguments":{},` +
		`"status":"completed"}`
	ownFound = `{"type":"tool_search_output","call_id":null,"execution":"server","tools":[],` +
		`"status":"completed"}`
	asks = `{"type":"mcp_approval_request","id":"mcpr_1","name":"send","arguments":"{}",` +
		`"server_label":"mail"}`
	approved = `{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}`
	mcpCall  = `{"type":"mcp_call","id":"mcp_1","name":"send","arguments":"{}",` +
		`"server_label":"mail","output":"sent"}`
	mcpTools = `{"type":"mcp_list_tools","id":"mcpl_1","server_label":"mail","tools":[]}`
	web      = `{"type":"web_search_call","id":"ws_1","status":"completed",` +
		`"action":{"type":"search","query":"q"}}`
	fileSearch = `{"type":"file_search_call","id":"fs_1","status":"completed","queries":["q"]}`
	code       = `{"type":"code_interpreter_call","id":"ci_1","container_id":"x","code":"1",` +
		`"outputs":null,"status":"completed"}`
	picture = `{"type":"image_generation_call","id":"ig_1","result":"iVBORw0KGgo=",` +
		`"status":"completed"}`
	moreTools  = `{"type":"additional_tools","role":"developer","tools":[]}`
	configures = `{"type":"configuration_update","reasoning":{"effort":"low"}}`
	compacted  = `{"type":"compaction","id":"cmp_1","encrypted_content":"gAAB"}`
	trigger    = `{"type":"compaction_trigger"}`
	reference  = `{"type":"item_reference","id":"msg_9"}`
	bareID     = `{"id":"msg_9"}`
	newKind    = `{"type":"dream","id":"dr_1","role":"assistant","content":"?"}`
)

var everyItem = []string{userText, userParts, developer, reasoning, said, refused, callRead, readA,
	readParts, callCustom, custom, callLocal, local, callShell, shell, callPatch, patched,
	callScreen, screen, program, programRan, callSearch, found, ownSearch, ownFound, asks, approved,
	mcpCall, mcpTools, web, fileSearch, code, picture, moreTools, configures, compacted, trigger,
	reference, bareID, newKind}

// body returns a request with these items.
func body(items ...string) []byte {
	b := []byte(`{"model":"gpt-6", "input" : [`)
	for i, item := range items {
		if i > 0 {
			b = append(b, ",\n "...)
		}
		b = append(b, item...)
	}
	return append(b, "\n] ,\"stream\":true}"...)
}
