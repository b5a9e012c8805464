package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"killick/internal/groundcheck"
	"killick/internal/replayreport"
)

// What a record says of the tools of MCP servers is derived again without the code that reads them.
// A call that only shows what it would do is not listed as one that did it, and what a server puts
// around the lines of a file is not one of them.
func TestToolsOfMCPAreGrounded(t *testing.T) {
	lines := strings.Repeat("total := rate * amount\n", 40)
	const frame = "Wall time: 0.0140 seconds\nOutput:\n" // of Codex
	const edit = `"edits":[{"oldText":"rate","newText":"cost"}]`
	calls := []struct{ tool, arguments, result string }{
		{"mcp__files__edit_file", `{"path":"/p/a.go","dryRun":true,` + edit + `}`,
			"```diff\n-rate\n+cost\n```"},
		{"mcp__files__edit_file", `{"path":"/p/b.go",` + edit + `}`, "```diff\n-rate\n+cost\n```"},
		{"mcp__desktop__read_file", `{"path":"/p/c.go"}`,
			"[Reading 41 lines from start (total: 41 lines, 0 remaining)]\n\nfirst line\n" + lines},
		{"mcp__desktop__read_file", `{"path":"/p/d.go","offset":7}`,
			"[Reading 41 lines from line 7 (total: 48 lines, 0 remaining)]\n\neighth\n" + lines},
		{"mcp__files__read_text_file", `{"path":"/p/e.go"}`, frame + "ENOENT: no such file or " +
			"directory, open '/p/e.go'"},
		{"mcp__files__write_file", `{"path":"/q/f.go","content":"package f"}`,
			frame + "Access denied - path outside allowed directories: /q/f.go not in /p"},
		{"mcp__playwright__browser_click", `{"target":"e777"}`, frame + "### Error\nError: " +
			"Ref e777 not found in the current page snapshot."},
	}
	var messages []string
	say := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, string(b))
	}
	say(map[string]any{"role": "user", "content": "Rename rate to cost."})
	long := strings.Repeat("The rate is read here, and nothing else is. ", 60)
	for i, c := range calls {
		id := fmt.Sprint("c", i)
		say(map[string]any{"role": "assistant", "content": long, "tool_calls": []any{map[string]any{
			"id": id, "type": "function",
			"function": map[string]any{"name": c.tool, "arguments": c.arguments}}}})
		say(map[string]any{"role": "tool", "tool_call_id": id, "content": c.result})
	}
	for range 6 { // these stay
		say(map[string]any{"role": "assistant", "content": long})
		say(map[string]any{"role": "user", "content": "And now?"})
	}
	raw := []byte(`{"model":"gpt-4o","messages":[` + strings.Join(messages, ",") + `]}`)
	c := balanced()
	between(4000, 1500)(&c)
	c.Compaction.WorkingSet = 3000
	forward, closeStore, err := replayreport.Strategy("", c).Open(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeStore() })
	sent := forward(raw).Body
	records := recordsIn(t, sent)
	for text, want := range map[string]bool{
		"mcp__files__edit_file(path=/p/a.go, dryRun=true":          true,
		"mcp__files__edit_file (2)":                                false, // a list of files
		"mcp__files__edit_file (4)":                                true,
		`message 6, from line 25:\n|total`:                         true,
		`message 8, from line 32:\n|total`:                         true,
		"|ENOENT":                                                  false,
		"mcp__files__write_file(/q/f.go) → reported an error":      true,
		"mcp__playwright__browser_click(e777) → reported an error": true,
		"|[Reading": false,
	} {
		if bytes.Contains(records, []byte(text)) != want {
			t.Errorf("%q is in the record: %t, want %t", text, !want, want)
		}
	}
	for _, f := range groundcheck.Check(raw, sent).Faults {
		t.Error(f)
	}
	if t.Failed() {
		t.Logf("%s", records)
	}
}
