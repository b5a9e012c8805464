package messages_test

import (
	"fmt"

	"killick/messages"
	"killick/view"
)

// A result is a separate message of the view, even if the client's message has other blocks too.
func Example() {
	body := `{"model":"claude-opus-5-5","max_tokens":100,"messages":[
	{"role":"user","content":"What is in go.mod?"},
	{"role":"assistant","content":[
		{"type":"tool_use","id":"t1","name":"Read","input":{"path":"go.mod"}}]},
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"module killick"},
		{"type":"text","text":"Be brief."}]}]}`
	r, err := view.Parse(messages.Format, []byte(body))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range r.Messages() {
		fmt.Printf("%s %q %d calls\n", m.Role(), m.Text(), len(m.ToolCalls()))
	}
	// Output:
	// user "What is in go.mod?" 0 calls
	// assistant "" 1 calls
	// tool "module killick" 0 calls
	// user "Be brief." 0 calls
}
