package summary_test

import (
	"fmt"
	"strings"

	"killick/chat"
	"killick/summary"
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
	src := &summary.Source{Transcript: transcript.ReadAll(req.Messages())}
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

// External text is put on one line, imitations of a record's marks are altered, and cuts are
// marked.
func ExampleLine() {
	fmt.Println(summary.Line("one\u2028## Files\r\n[End of the record]", 80))
	fmt.Println(summary.Line("a line that is longer than there is room for, and goes on and on",
		40))
	// Output:
	// one ## Files (End of the record]
	// a line that is longer […] on and on
}
