package view_test

import (
	"fmt"

	"killick/chat"
	"killick/view"
)

// A new body is spliced from slices of the client's body, so all unchanged bytes are the client's.
func ExampleRequest_Splice() {
	r, err := view.Parse(chat.Format, []byte(`{"n":1.50, "messages":[
	{"role":"user","content":"one"}, {"role":"assistant","content":"two"},
	{"content":"\u0033","role":"user"} ]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", r.Splice([]view.Piece{
		{Raw: view.Spelling{}.UserMessage([]byte(`"what was before"`))}, {From: 2, To: 3},
	}))
	// Output:
	// {"n":1.50, "messages":[
	// 	{"role":"user","content":"what was before"},{"content":"\u0033","role":"user"} ]}
}
