package chat_test

import (
	"fmt"

	"killick/chat"
	"killick/view"
)

// A new body is made of slices of the old one: everything that is not replaced keeps the client's
// bytes.
func ExampleRequest_Splice() {
	r, err := chat.Parse([]byte(`{"model":"gpt\u002d5", "top_p":0.70, "messages":[` +
		`{"role":"user","content":"one"},  {"content" : "two"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Model(), len(r.Messages()))
	fmt.Printf("%s\n", r.Splice([]view.Piece{
		{Raw: []byte(`{"role":"user"}`)},
		{From: 1, To: 2},
	}))
	// Output:
	// gpt-5 2
	// {"model":"gpt\u002d5", "top_p":0.70, "messages":[{"role":"user"},{"content" : "two"}]}
}

// An assistant message that calls tools and the results of its calls are one group.
func ExampleGroups() {
	r, err := chat.Parse([]byte(`{"messages":[{"role":"user","content":"Is it raining?"},
		{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"look","arguments":""}}]},
		{"role":"tool","tool_call_id":"a","content":"yes"},
		{"role":"assistant","content":"It is."}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range view.Groups(r.Messages()) {
		fmt.Println(g.Start, g.End, g.Open)
	}
	// Output:
	// 0 1 false
	// 1 3 false
	// 3 4 false
}
