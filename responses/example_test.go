package responses_test

import (
	"fmt"

	"killick/responses"
	"killick/view"
)

// The items of one turn of the model are one message.
func Example() {
	body := `{"model":"gpt-5.6","store":false,"input":[
	{"role":"user","content":"What is in go.mod?"},
	{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"…"},
	{"type":"function_call","call_id":"c1","name":"read","arguments":"{\"path\":\"go.mod\"}"},
	{"type":"function_call_output","call_id":"c1","output":"module killick"}]}`
	r, err := view.Parse(responses.Format, []byte(body))
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
}
