package events_test

import (
	"fmt"

	"killick/proxy/events"
)

// Events arrive in arbitrary pieces.
func ExampleReader() {
	var reader events.Reader
	for _, piece := range []string{
		"data: {\"choi", "ces\":[]}\r\n\r\n: a comment\nda", "ta: [DONE]\n\n",
	} {
		reader.Feed([]byte(piece), func(data []byte) { fmt.Printf("%s\n", data) })
	}
	// Output:
	// {"choices":[]}
	// [DONE]
}
