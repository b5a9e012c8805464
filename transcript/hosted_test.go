package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"killick/internal/cputime"
	"killick/messages"
	"killick/view"
)

// What the provider ran precedes the client's calls of the same message, and gets its result from a
// later message if that has it.
func TestCallsOfTheProvider(t *testing.T) {
	r, err := view.Parse(messages.Format, []byte(`{"messages":[{"role":"user","content":"x"},
		{"role":"assistant","content":[
			{"type":"server_tool_use","id":"s","name":"web_fetch","input":{"url":"a"}},
			{"type":"server_tool_use","id":"r","name":"bash_code_execution",
				"input":{"command":"rm src/a.go"}},
			{"type":"bash_code_execution_tool_result","tool_use_id":"r",
				"content":{"stdout":"ok","return_code":0}},
			{"type":"tool_use","id":"1","name":"q","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"y"}]},
		{"role":"assistant","content":[
			{"type":"web_fetch_tool_result","tool_use_id":"s","content":{"error_code":"blocked"}},
			{"type":"web_fetch_tool_result","tool_use_id":"unknown","content":[]},
			{"type":"server_tool_use","id":"t","name":"web_search","input":{"query":"b"}},
			{"type":"server_tool_use","id":"t","name":"","input":{}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	read := ReadAll(r.Messages())
	if len(read.Calls) != 1 {
		t.Fatalf("%d calls that messages answer, want 1", len(read.Calls))
	}
	var got []string
	for _, c := range read.WithHosted(read.Calls, 0, 4) {
		got = append(got, fmt.Sprintf(
			"%d %s: result %d, status %d, exit %d, effect %d, paths %d: %s", c.Caller, c.Name,
			c.Result, c.Status, c.Exit, c.Effect, len(c.Paths), read.Output(&c, "")))
	}
	want := []string{
		fmt.Sprintf("1 web_fetch: result 3, status %d, exit -1, effect %d, paths 0: blocked",
			Failed, Other),
		fmt.Sprintf("1 bash_code_execution: result 1, status %d, exit 0, effect %d, paths 0: ok",
			OK, Runs),
		fmt.Sprintf("1 q: result 2, status %d, exit -1, effect %d, paths 0: ", Unknown, Other),
		fmt.Sprintf("3 web_search: result -1, status %d, exit -1, effect %d, paths 0: ",
			Unknown, Other),
		fmt.Sprintf("3 : result -1, status %d, exit -1, effect %d, paths 0: ", Unknown, Other),
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Calls of the provider are matched with their results in linear time.
func TestManyCallsOfTheProvider(t *testing.T) {
	const n = 45_000
	var b strings.Builder
	b.WriteString(`{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[`)
	for i := range n {
		fmt.Fprintf(&b, `{"type":"server_tool_use","id":"%d","name":"web_search","input":{}},`, i)
	}
	for i := range n {
		fmt.Fprintf(&b, `{"type":"web_search_tool_result","tool_use_id":"%d","content":[]},`, n+i)
	}
	b.WriteString(`{"type":"text","text":"x"}]}]}`)
	r, err := view.Parse(messages.Format, []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	start := cputime.Used()
	calls := ReadAll(r.Messages()).Hosted(0, 2)
	if took := cputime.Used() - start; len(calls) != n || took > 5*time.Second {
		t.Errorf("%d calls took %v", len(calls), took)
	}
}
