package fakeresponses

import "testing"

func TestPairs(t *testing.T) {
	s := start(t, Config{})
	custom := `{"type":"custom_tool_call","call_id":"k","name":"sql","input":"x"}`
	shell := `{"type":"local_shell_call","id":"lsh_1","call_id":"k","status":"completed",` +
		`"action":{"type":"exec","command":["ls"],"env":{}}}`
	const async = `{"type":"function_call","call_id":"a","name":"n","arguments":"{}","async":true}`
	const spawned = `{"type":"function_call_output","name":"spawn","output":"x"}`
	const program = `{"type":"program","id":"p","call_id":"p","code":"x","fingerprint":"f"}`
	const byID = `{"type":"local_shell_call_output","id":"lsh_1","output":"x"}`
	for name, items := range map[string][]string{
		"in another order":         {call("a"), call("b"), result("b", "x"), result("a", "x")},
		"a message between":        {call("a"), assistant("x"), result("a", "x"), user("y")},
		"codex answers its shell":  {shell, result("k", "x")},
		"by the id of the item":    {shell, byID},
		"an output without a call": {spawned},
		"an asynchronous call":     {async, user("x")},
		"a search that was hosted": {`{"type":"tool_search_call","arguments":{}}`, user("x")},
		"a program, not ended":     {program},
	} {
		if g := ask(t, s, with(items)); g.status != 200 {
			t.Errorf("%s: %d %s, want 200", name, g.status, g.text)
		}
	}
	for _, test := range []struct {
		items   []string
		message string
	}{
		{list(user("x"), result("a", "x")),
			"No tool call found for function call output with call_id a."},
		{list(result("a", "x"), call("a")),
			"No tool call found for function call output with call_id a."},
		{list(custom, result("k", "x")),
			"No tool call found for function call output with call_id k."},
		{list(`{"type":"custom_tool_call_output","call_id":"k","output":"x"}`),
			"No tool call found for custom tool call output with call_id k."},
		{list(`{"type":"local_shell_call_output","id":"k","output":"x"}`),
			"No tool call found for local shell call output with call_id k."},
		{list(call("a"), user("x")), "No tool output found for function call a."},
		{list(call("a")), "No tool output found for function call a."},
		{list(call("a"), call("b"), result("b", "x")), "No tool output found for function call a."},
		{list(custom, user("x")), "No tool output found for custom tool call k."},
		{list(shell, user("x")), "No tool output found for local shell call k."},
		{list(call("a"), result("a", "x"), result("a", "x")),
			"Duplicate function_call_output for call_id 'a'. Each call must have exactly one " +
				"matching output."},
		{list(call("a"), result("a", "x"), call("a"), result("a", "x")), "Duplicate 'call_id': a"},
		{list(`{"type":"message","id":"msg_1","role":"user","content":"x"}`,
			`{"type":"message","id":"msg_1","role":"user","content":"y"}`),
			"Duplicate item found with id msg_1. Remove duplicate items from your input and try " +
				"again."},
		{list(`{"type":"mcp_approval_response","approval_request_id":"m","approve":true}`),
			"No MCP approval request found for response with approval_request_id m."},
	} {
		refusal{400, "input", "", test.message}.check(t, ask(t, s, with(test.items)))
	}
}

func TestOpenCallsMayBeCountedAndCompacted(t *testing.T) {
	s := start(t, Config{})
	body := with(list(user("x"), call("a"), result("a", "x"), call("b"), call("c")))
	for _, path := range []string{"/responses/input_tokens", "/responses/compact"} {
		if g := send(t, s, "POST", path, body); g.status != 200 {
			t.Errorf("%s: %d %s, want 200", path, g.status, g.text)
		}
		g := send(t, s, "POST", path, with(list(call("b"), user("x"))))
		refusal{400, "input", "", "No tool output found for function call b."}.check(t, g)
	}
}
