package overflow_test

import (
	"fmt"

	"killick/proxy/overflow"
)

func ExampleRead() {
	for _, body := range []string{
		`{"error":{"message":"This model's maximum context length is 8192 tokens. However, ` +
			`your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`,
		`{"error":{"message":"Invalid value for 'temperature'."}}`,
	} {
		if refusal := overflow.Read(400, []byte(body)); refusal != nil {
			fmt.Println(refusal.Provider, refusal.Window, refusal.Prompt)
		} else {
			fmt.Println("another error")
		}
	}
	// Output:
	// openai 8192 9000
	// another error
}
