package e2e

import (
	"strings"
	"testing"
)

// What a record says of the tools of MCP servers is derived again without the code that reads them.
// A call that only shows what it would do is not listed as one that did it, and what a server puts
// around the lines of a file is not one of them.
func TestToolsOfMCPAreGrounded(t *testing.T) {
	lines := strings.Repeat("total := rate * amount\n", 40)
	const frame = "Wall time: 0.0140 seconds\nOutput:\n" // of Codex
	const edit = `"edits":[{"oldText":"rate","newText":"cost"}]`
	calls := []calledTool{
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
	c := balanced()
	between(4000, 1500)(&c)
	c.Compaction.WorkingSet = 3000
	checkRecord(t, c, withCalls(t, calls, 6,
		strings.Repeat("The rate is read here, and nothing else is. ", 60),
		map[string]any{"role": "user", "content": "Rename rate to cost."}), map[string]bool{
		"mcp__files__edit_file(path=/p/a.go, dryRun=true":          true,
		"mcp__files__edit_file (2)":                                false, // a list of files
		"mcp__files__edit_file (4)":                                true,
		`message 6, from line 25:\n|total`:                         true,
		`message 8, from line 32:\n|total`:                         true,
		"|ENOENT":                                                  false,
		"mcp__files__write_file(/q/f.go) → reported an error":      true,
		"mcp__playwright__browser_click(e777) → reported an error": true,
		"|[Reading": false,
	})
}
