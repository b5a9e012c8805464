package tokenizer_test

import (
	"fmt"

	"killick/chat"
	"killick/tokenizer"
)

func ExampleCounter() {
	req, err := chat.Parse([]byte(`{"model":"gpt-4o","messages":[
		{"role":"system","content":"You are a careful agent."},
		{"role":"user","content":"How many tokens is this?"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	counter := tokenizer.New(tokenizer.Options{})
	b := counter.For(req.Model()).Request(req)
	fmt.Println("messages", b.Messages, "overhead", b.Overhead, "total", b.Total)
	// Output: messages [10 10] overhead 3 total 23
}

func ExampleModel_Ratio() {
	model := tokenizer.New(tokenizer.Options{}).For("some-model")
	fmt.Println("assumed:", model.Ratio(nil))
	gpt := tokenizer.New(tokenizer.Options{}).For("gpt-4o")
	fmt.Println("of a published tokenizer:", gpt.Ratio(nil))
	// Output:
	// assumed: 1.35
	// of a published tokenizer: 1
}

// An agent that knows its models prepares their encodings before it serves, so that
// no request waits for them.
func ExamplePrepare() {
	err := tokenizer.Prepare("gpt-4o", "gpt-4")
	fmt.Println(err)
	// Output: <nil>
}
