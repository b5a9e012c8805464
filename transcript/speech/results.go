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

const (
	detailsTag = "<environment_details>\n"
	detailsEnd = "</environment_details>"
)

// saidTags are the tags around what a person said beside a result, or in its place.
var saidTags = []string{"feedback", "answer", "user_message"}

// withResult returns the spans of a message in which such a result is a block, all but what a
// person said.
func withResult(text string, spans []Span) []Span {
	n := resultLabel(text)
	if n == 0 || !strings.HasSuffix(strings.TrimSpace(text), detailsEnd) {
		return spans
	}
	end := len(text)
	if i := strings.LastIndex(text[n:], "\n"+detailsTag); i >= 0 {
		end = n + i + 1
	}
	var with []Span
	at := 0
	for _, part := range append(said(text, n, end), Span{Start: end, End: len(text)}) {
		if at < part.Start {
			with = append(with, Span{Kind: Block, Tag: "result", Start: at, End: part.Start})
		}
		for _, s := range spansOf(text[part.Start:part.End]) {
			s.Start, s.End = s.Start+part.Start, s.End+part.Start
			with = append(with, s)
		}
		at = part.End
	}
	return with
}

// said returns what a person said in text[from:to]. Clients write it before the output of the tool,
// under a line of their own, or after it. Elsewhere such tags are the tool's output, which nobody
// said. An output that begins or ends with them cannot be told from a person's words.
func said(text string, from, to int) (parts []Span) {
	output := strings.TrimSpace(text[from:to])
	from += strings.Index(text[from:to], output)
	_, below, _ := strings.Cut(output, "\n")
	for _, tag := range saidTags {
		begin, end := "<"+tag+">\n", "\n</"+tag+">"
		for _, rest := range []string{output, below} {
			if n := strings.Index(rest, end); n >= 0 && strings.HasPrefix(rest, begin) {
				at := from + len(output) - len(rest)
				parts = append(parts, Span{Start: at, End: at + n + len(end)})
				break
			}
		}
	}
	for _, tag := range saidTags {
		if !strings.HasSuffix(output, "\n</"+tag+">") {
			continue
		}
		at := from + strings.LastIndex(output, "\n<"+tag+">\n") + 1
		if at > from && (len(parts) == 0 || at >= parts[0].End) {
			parts = append(parts, Span{Start: at, End: from + len(output)})
		}
	}
	return parts
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
