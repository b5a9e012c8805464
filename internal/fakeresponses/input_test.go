package fakeresponses

import (
	"net/http"
	"strings"
	"testing"
)

// samples are items that are accepted together, each type once, with the members that it must have.
var samples = []string{
	user("hello"), `{"role":"developer","content":"be brief"}`,
	`{"role":"system","content":"be kind"}`, assistant("so it is"),
	call("c1"), result("c1", "text"),
	`{"type":"custom_tool_call","id":"ctc_1","call_id":"c2","name":"sql","input":"select 1"}`,
	`{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"1"}]}`,
	`{"type":"local_shell_call","call_id":"c3","status":"completed",` +
		`"action":{"type":"exec","command":["ls"],"env":{}}}`,
	`{"type":"local_shell_call_output","id":"c3","output":"a b"}`,
	`{"type":"shell_call","call_id":"c4","action":{"commands":["ls"]}}`,
	`{"type":"shell_call_output","call_id":"c4","output":[{"stdout":"a","stderr":"",` +
		`"outcome":{"type":"exit","exit_code":0}}]}`,
	`{"type":"apply_patch_call","call_id":"c5","status":"completed",` +
		`"operation":{"type":"delete_file","path":"a"}}`,
	`{"type":"apply_patch_call_output","call_id":"c5","status":"completed"}`,
	`{"type":"computer_call","id":"cu_1","call_id":"c6","pending_safety_checks":[],` +
		`"status":"completed","action":{"type":"screenshot"}}`,
	`{"type":"computer_call_output","call_id":"c6","output":{"type":"computer_screenshot",` +
		`"image_url":"data:image/png;base64,AAAA"}}`,
	`{"type":"tool_search_call","call_id":"c7","arguments":{"query":"git"}}`,
	`{"type":"tool_search_output","call_id":"c7","tools":[]}`,
	`{"type":"mcp_list_tools","id":"mcpl_1","server_label":"m","tools":[]}`,
	`{"type":"mcp_approval_request","id":"mcpr_1","arguments":"{}","name":"n","server_label":"m"}`,
	`{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true}`,
	`{"type":"mcp_call","id":"mcp_1","arguments":"{}","name":"n","server_label":"m"}`,
	`{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}}`,
	`{"type":"file_search_call","id":"fs_1","queries":["q"],"status":"completed"}`,
	`{"type":"code_interpreter_call","id":"ci_1","container_id":"k","status":"completed",` +
		`"code":null,"outputs":null}`,
	`{"type":"image_generation_call","id":"ig_1","status":"completed","result":null}`,
	`{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"f"}]}`,
	`{"type":"configuration_update","reasoning":{"effort":"low"}}`,
	`{"type":"program","id":"pr_1","call_id":"c8","code":"x","fingerprint":"f"}`,
	`{"type":"program_output","id":"po_1","call_id":"c8","result":"y","status":"completed"}`,
}

func TestAcceptsEveryType(t *testing.T) {
	s := start(t, Config{})
	accepted(t, s, with(samples))
	accepted(t, s, `{"model":"gpt-6.1","input":"hello"}`)
	known := map[string]bool{}
	for _, sample := range samples {
		o, err := parseObject([]byte(sample))
		if err != nil {
			t.Fatal(err)
		}
		known[withType(o).Text("type")] = true
	}
	for _, typ := range []string{"reasoning", "compaction", "compaction_trigger",
		"item_reference"} {
		known[typ] = true // they have tests of their own
	}
	for typ := range kinds {
		if !known[typ] {
			t.Errorf("no sample of type %s", typ)
		}
	}
}

func TestRefusesItemsThatLackAMember(t *testing.T) {
	s := start(t, Config{})
	samples := append(list(`{"type":"reasoning","id":"rs_1","summary":[]}`,
		`{"type":"compaction","encrypted_content":"x"}`,
		`{"type":"item_reference","id":"msg_1"}`), samples...)
	members := 0
	for _, sample := range samples {
		o, err := parseObject([]byte(sample))
		if err != nil {
			t.Fatal(err)
		}
		k := kinds[o.Text("type")]
		for _, name := range sortedNames(k.needs) {
			members++
			at := "input[0]." + name
			refusal{400, at, "missing_required_parameter", "Missing required parameter: '" + at +
				"'."}.check(t, ask(t, s, with(encode(o.without(name)))))
			if k.needs[name] == anything {
				continue
			}
			mistyped := o.without()
			mistyped[name] = 7
			refusal{400, at, "invalid_type", "Invalid type for '" + at + "': expected " +
				wantNames[k.needs[name]] + ", but got a number instead."}.
				check(t, ask(t, s, with(encode(mistyped))))
		}
		if k.mustHave {
			refusal{400, "input[0].status", "missing_required_parameter",
				"Missing required parameter: 'input[0].status'."}.
				check(t, ask(t, s, with(encode(o.without("status")))))
		}
	}
	if members < 45 {
		t.Errorf("%d members tried, want at least 45", members)
	}
}

func TestRefusesItems(t *testing.T) {
	s := start(t, Config{})
	const lacking, invalid = "missing_required_parameter", "invalid_value"
	for _, test := range []struct {
		item string
		want refusal
	}{
		{`{"type":"message","role":"tool","content":"x"}`, refusal{400, "input[1].role", invalid,
			"Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', " +
				"and 'user'."}},
		{`{"role":"user"}`, refusal{400, "input[1].content", lacking,
			"Missing required parameter: 'input[1].content'."}},
		{`{"role":"assistant","content":[{"type":"input_text","text":"x"}]}`,
			refusal{400, "input[1].content[0]", invalid, "Invalid value: 'input_text'. " +
				"Supported values are: 'output_text' and 'refusal'."}},
		{`{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"output_text",` +
			`"text":"x"}]}`, refusal{400, "input[1].content[1]", invalid,
			"Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', " +
				"and 'input_file'."}},
		{`{"role":"user","content":[{"type":"text","text":"x"}]}`,
			refusal{400, "input[1].content[0]", invalid, "Invalid value: 'text'. Supported " +
				"values are: 'input_text', 'input_image', and 'input_file'."}},
		{`{"role":"user","content":[{"type":"input_image"}]}`,
			refusal{400, "input[1].content[0].image_url", lacking,
				"Missing required parameter: 'input[1].content[0].image_url'."}},
		{`{"role":"assistant","phase":"late","content":"x"}`, refusal{400, "input[1].phase",
			invalid, "Invalid value: 'late'. Supported values are: 'commentary' and " +
				"'final_answer'."}},
		{`{"type":"function_call_output","output":"x"}`, refusal{400, "input[1].call_id", lacking,
			"Missing required parameter: 'input[1].call_id'."}},
		{`{"type":"function_call","id":"item_1","call_id":"c","name":"n","arguments":"{}"}`,
			refusal{400, "input[1].id", invalid, "Invalid 'input[1].id': 'item_1'. Expected an " +
				"ID that begins with 'fc'."}},
		{`{"type":"function_call","status":"done","call_id":"c","name":"n","arguments":"{}"}`,
			refusal{400, "input[1].status", invalid, "Invalid value: 'done'. Supported values " +
				"are: 'in_progress', 'completed', and 'incomplete'."}},
		{`{"type":"shell_call","call_id":"c","action":{}}`,
			refusal{400, "input[1].action.commands", lacking,
				"Missing required parameter: 'input[1].action.commands'."}},
		{`{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"run"}}`,
			refusal{400, "input[1].action.type", invalid,
				"Invalid value: 'run'. Supported values are: 'exec'."}},
		{`{"type":"apply_patch_call","call_id":"c","status":"completed",` +
			`"operation":{"type":"delete_file"}}`, refusal{400, "input[1].operation.path", lacking,
			"Missing required parameter: 'input[1].operation.path'."}},
		{`{"text":"x"}`, refusal{400, "input[1].type", lacking,
			"Missing required parameter: 'input[1].type'."}},
		{`"x"`, refusal{400, "input[1]", "invalid_type",
			"Invalid type for 'input[1]': expected an object, but got a string instead."}},
		{`{"type":"additional_tools","tools":[{"type":"function","function":{"name":"f"}}]}`,
			refusal{400, "tools[0].name", lacking,
				"Missing required parameter: 'tools[0].name'."}},
		{`{"role":"assistant","content":[{"type":"output_text","text":"x",` +
			`"prompt_cache_breakpoint":{"mode":"explicit"}}]}`,
			refusal{400, "input[1].content[0].prompt_cache_breakpoint", "unknown_parameter",
				"Unknown parameter: 'input[1].content[0].prompt_cache_breakpoint'."}},
		{`{"role":"user","content":[{"type":"input_text","text":"x",` +
			`"prompt_cache_breakpoint":{"mode":"implicit"}}]}`,
			refusal{400, "input[1].content[0].prompt_cache_breakpoint.mode", invalid,
				"Invalid value: 'implicit'. Supported values are: 'explicit'."}},
	} {
		test.want.check(t, ask(t, s, with(list(user("x"), test.item))))
	}
}

func TestUnknownTypes(t *testing.T) {
	const item = `{"type":"dream","id":"dr_1"}`
	const message = `{"role":"user","content":[{"type":"input_smell","smell":"x"}]}`
	strict := start(t, Config{})
	g := ask(t, strict, with(list(item)))
	if e := g.body.Object("error"); g.status != 400 || e.Text("code") != "invalid_value" ||
		e.Text("param") != "input[0].type" ||
		!strings.HasPrefix(e.Text("message"), "Invalid value: 'dream'. Supported values are: ") {
		t.Errorf("%d %s", g.status, g.text)
	}
	if g := ask(t, strict, with(list(message))); g.status != 400 {
		t.Errorf("an unknown part: status %d, want 400", g.status)
	}
	if g := ask(t, strict, with(list(`{"role":"assistant","content":[{"type":"input_text",`+
		`"text":"x"}]}`))); g.status != 400 {
		t.Errorf("a known part of the wrong role: status %d, want 400", g.status)
	}
}

func TestParameters(t *testing.T) {
	s := start(t, Config{})
	const lacking, invalid = "missing_required_parameter", "invalid_value"
	const exclusive = "mutually_exclusive_parameters"
	for body, want := range map[string]refusal{
		`{"input":"x"}`: {400, "model", lacking, "Missing required parameter: 'model'."},
		`{"model":"m"}`: {400, "input", lacking, "Missing required parameter: 'input'."},
		`{"model":"m","input":[]}`: {400, "input", "empty_array", "Invalid 'input': empty " +
			"array. Expected an array with minimum length 1, but got an empty array instead."},
		`{"model":"m","input":7}`: {400, "input", "invalid_type", "Invalid type for 'input': " +
			"expected one of a string or array of objects, but got a number instead."},
		`{"model":"m","messages":[],"input":"x"}`: {400, "messages", "unsupported_parameter",
			"Unsupported parameter: 'messages'. In the Responses API, this parameter has moved " +
				"to 'input'. Try again with the new parameter."},
		`{"model":"m","input":"x","store":"no"}`: {400, "store", "invalid_type",
			"Invalid type for 'store': expected a boolean, but got a string instead."},
		`{"model":"m","input":"x","truncation":"some"}`: {400, "truncation", invalid,
			"Invalid value: 'some'. Supported values are: 'auto' and 'disabled'."},
		`{"model":"m","input":"x","context_management":[{"type":"fold"}]}`: {400,
			"context_management[0].type", invalid,
			"Invalid value: 'fold'. Supported values are: 'compaction'."},
		`{"model":"m","input":"x","tools":[{"type":"function","function":{"name":"f"}}]}`: {400,
			"tools[0].name", lacking, "Missing required parameter: 'tools[0].name'."},
		`{"model":"m","input":"x","prompt_cache_options":{"mode":"no"}}`: {400,
			"prompt_cache_options.mode", invalid,
			"Invalid value: 'no'. Supported values are: 'implicit' and 'explicit'."},
		`{"model":"m","input":"x","prompt_cache_options":{"ttl":"5m"}}`: {400,
			"prompt_cache_options.ttl", invalid,
			"Invalid value: '5m'. Supported values are: '30m' and '12h'."},
		`{"model":"m","input":"x","prompt_cache_options":{},"prompt_cache_retention":"24h"}`: {
			400, "", exclusive, "Mutually exclusive parameters: 'prompt_cache_retention' and " +
				"'prompt_cache_options'. Ensure you are only providing one of: " +
				"'prompt_cache_retention' or 'prompt_cache_options'."},
		`{"model":"m","input":"x","previous_response_id":"resp_1","conversation":"conv_1"}`: {
			400, "", exclusive, "Mutually exclusive parameters: 'previous_response_id' and " +
				"'conversation'. Ensure you are only providing one of: " +
				"'previous_response_id' or 'conversation'."},
	} {
		want.check(t, ask(t, s, body))
	}
	if g := ask(t, s, `{"model":"m","input":"x"} x`); g.status != 400 ||
		!strings.HasPrefix(g.body.Object("error").Text("message"), "We could not parse the JSON") {
		t.Errorf("data after the body: %d %s", g.status, g.text)
	}
	if g := send(t, s, http.MethodGet, "/responses", ""); g.status != 405 {
		t.Errorf("GET: status %d, want 405", g.status)
	}
	accepted(t, s, `{"model":"m","input":"x","truncation":"auto","prompt_cache_retention":"24h",`+
		`"context_management":[{"type":"compaction"}],"instructions":null,"stream":false,`+
		`"tools":[{"type":"function","name":"f"},{"type":"web_search"}]}`)
}

func TestKeys(t *testing.T) {
	s := start(t, Config{Keys: []string{"sk-one"}})
	accepted(t, s, `{"model":"m","input":"x"}`, "Authorization", "Bearer sk-one")
	g := ask(t, s, `{"model":"m","input":"x"}`, "Authorization", "Bearer sk-two")
	if g.status != 401 || g.body.Object("error").Text("code") != "invalid_api_key" {
		t.Errorf("another key: %d %s", g.status, g.text)
	}
}
