package summary_test

import (
	"fmt"
	"strings"

	"killick/chat"
	"killick/summary"
	"killick/summary/quotes"
	"killick/transcript"
)

// A summary states what follows from the calls and results of the turns, and quotes messages. It
// guesses nothing from wording.
func Example() {
	req, err := chat.Parse([]byte(`{"model":"m","messages":[
		{"role":"user","content":"Mend the oven of the bakery in the harbour, please."},
		{"role":"assistant","tool_calls":[{"id":"1","function":
			{"name":"Edit","arguments":"{\"file_path\":\"oven/heat.go\"}"}}]},
		{"role":"tool","tool_call_id":"1","content":"ok"},
		{"role":"assistant","tool_calls":[{"id":"2","function":
			{"name":"Bash","arguments":"{\"command\":\"go test ./oven\"}"}}]},
		{"role":"tool","tool_call_id":"2","content":"Exit code 1\nFAIL oven"},
		{"role":"assistant","content":"The test still fails."}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	src := &quotes.Source{Transcript: transcript.ReadAll(req.Messages())}
	sum := summary.Read(src, src.Calls, 0, len(src.Messages), &summary.Summary{})
	sum.Task = 1
	sum.FillWords(src, 0, len(src.Messages), []summary.Kept{{At: 1, Class: summary.KeptPerson}})
	_, sections, _ := strings.Cut(sum.Render(summary.Room{Summary: 4000, All: 4000}), "\n\n")
	fmt.Println(sections)
	// Output:
	// ## Session intent
	// - task: message 1, kept above as it came
	//
	// ## Current state
	// - 6 assistant: The test still fails.
	// - last call: 4 Bash, listed below
	//
	// ## Failed or refused, and not run again
	// - 4 Bash(go test ./oven) → exit code 1; it returned: FAIL oven
	//
	// ## Files
	// - Edit (2): oven/heat.go
}
