package speech

import (
	"slices"
	"strings"
)

// Cline and its forks Roo Code and Kilo Code, where a model calls no tools of the API (Roo Code's
// presentAssistantMessage.ts): the assistant writes its calls as tags, and the results are text of
// the next user message. A label precedes each, and what the client says of its environment is the
// end of every such message:
//
//	[read_file for 'src/a.ts'] Result:
//
//	<files>…</files>
//
//	<environment_details>…</environment_details>

// resultTools are the tools that these labels name.
var resultTools = strings.Fields("execute_command read_file write_to_file replace_in_file " +
	"apply_diff apply_patch insert_content search_and_replace search_replace edit_file " +
	"search_files list_files list_code_definition_names codebase_search browser_action " +
	"use_mcp_tool access_mcp_resource load_mcp_documentation ask_followup_question " +
	"attempt_completion plan_mode_respond switch_mode new_task update_todo_list " +
	"fetch_instructions run_slash_command generate_image web_fetch")

// resultEnds are the tags after a result, or within what stands in its place: what a person said
// instead, and the client's details.
var resultEnds = []string{"<feedback>\n", "<answer>\n", "<user_message>\n",
	"<environment_details>\n"}

// withResult returns the spans of a message in which such a result is a block.
func withResult(text string, spans []Span) []Span {
	n := resultLabel(text)
	if n == 0 || !strings.HasSuffix(strings.TrimSpace(text), "</environment_details>") {
		return spans
	}
	end := len(text)
	for _, tag := range resultEnds {
		if i := strings.Index(text[n:end], "\n"+tag); i >= 0 {
			end = n + i + 1
		}
	}
	with := []Span{{Kind: Block, Tag: "result", End: end}}
	for _, s := range spans {
		if s.Start = max(s.Start, end); s.Start < s.End {
			with = append(with, s)
		}
	}
	return with
}

// resultLabel returns the length of the label that a text begins with, 0 if it begins with none.
func resultLabel(text string) int {
	inside, found := strings.CutPrefix(text[:min(len(text), maxTag)], "[")
	name, _, _ := strings.Cut(inside, "]")
	name, _, _ = strings.Cut(name, " ")
	if !found || !slices.Contains(resultTools, name) {
		return 0
	}
	const end = "] Result:"
	i := strings.Index(text, end)
	if i < 0 {
		return 0
	}
	if n := i + len(end); n == len(text) || text[n] == '\n' {
		return n
	}
	return 0
}
