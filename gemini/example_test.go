package gemini_test

import (
	"fmt"

	"killick/gemini"
	"killick/view"
)

// A result is a separate message of the view, even if the client's content has other parts too.
func Example() {
	body := `{"contents":[
	{"role":"user","parts":[{"text":"What is in go.mod?"}]},
	{"role":"model","parts":[{"functionCall":{"name":"read","args":{"path":"go.mod"}}}]},
	{"role":"user","parts":[
		{"functionResponse":{"name":"read","response":{"output":"module killick"}}},
		{"text":"Be brief."}]}]}`
	r, err := view.Parse(gemini.Format, []byte(body))
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
