package redact_test

import (
	"fmt"

	"killick/redact"
)

// Credentials are replaced, identifiers that merely look random are not.
func ExampleText() {
	fmt.Println(redact.Text("curl -u ann:s3cret-Pa55 https://ann:hunter22@example.com/"))
	fmt.Println(redact.Text("commit 4f9c2e1a7b5d, request 550e8400-e29b-41d4-a716-446655440000"))
	// Output:
	// curl -u ann:[redacted: password] https://ann:[redacted: password]@example.com/
	// commit 4f9c2e1a7b5d, request 550e8400-e29b-41d4-a716-446655440000
}

func ExampleFind() {
	text := `{"password": "correct-Horse-7"}`
	for _, m := range redact.Find(text) {
		fmt.Println(m.Kind, text[m.Start:m.End])
	}
	// Output:
	// password correct-Horse-7
}
