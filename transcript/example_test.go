package transcript_test

import (
	"fmt"

	"killick/chat"
	"killick/transcript"
)

func Example() {
	request, err := chat.Parse([]byte(`{"messages":[
		{"role":"user","content":
			"<system-reminder>Today is Sunday.</system-reminder>\nFix the login."},
		{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function",
			"function":{"name":"Bash","arguments":"{\"command\":\"go test ./login\"}"}}]},
		{"role":"tool","tool_call_id":"1","content":"Exit code 1\n--- FAIL: TestLogin"},
		{"role":"assistant","content":"A test fails. Shall I fix it?"},
		{"role":"user","content":"yes"}
	]}`))
	if err != nil {
		panic(err)
	}
	t := transcript.ReadAll(request.Messages())
	for _, r := range t.Requests(0, len(t.Messages)) {
		m := t.Message(r.At)
		fmt.Printf("%s: %q, terse: %v\n", m.Speaker, m.Words(), m.Terse())
	}
	for _, c := range t.Calls {
		fmt.Printf("%s: failed: %v, exit code %d\n", c.Command, c.Failed(), c.Exit)
	}
	// Output:
	// user: "Fix the login.", terse: true
	// user: "yes", terse: true
	// go test ./login: failed: true, exit code 1
}
