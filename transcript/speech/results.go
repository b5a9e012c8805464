package speech

import (
	"slices"
	"strings"

	"killick/view"
)

// Where a model calls no tools of the API, the assistant writes its calls as tags, and the results
// are text of the next user message, after a label with the name of the tool.
//
// Cline and its forks Roo Code and Kilo Code (Roo Code's presentAssistantMessage.ts) mostly write
// what they say of the environment after it. OpenHands (fn_call_converter.py) writes results of
// <function=execute_bash> so:
//
//	[read_file for 'src/a.ts'] Result:          EXECUTION RESULT of [execute_bash]:
//
//	<files>…</files>                            ok
//
//	<environment_details>…</environment_details>
//
// A label that names a tag of the assistant's message before it is such a label. The names of the
// known tools are for messages whose call the client left out, as Cline does past its window.

// resultTools are the tools that the labels of Cline, Roo Code and Kilo Code name.
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
// person said. before is the message before it, nil if there is none.
func withResult(text string, spans []Span, before *view.Message) []Span {
	name, n := resultLabel(text)
	known := slices.Contains(resultTools, name) &&
		strings.HasSuffix(strings.TrimSpace(text), detailsEnd)
	if n == 0 || !known && !writesTag(before, name) {
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
		with = append(with, spansFrom(text[:part.End], part.Start)...)
		at = part.End
	}
	return with
}

// spansFrom divides the rest of a text.
func spansFrom(text string, from int) []Span {
	spans := spansOf(text[from:])
	for i := range spans {
		spans[i].Start, spans[i].End = spans[i].Start+from, spans[i].End+from
	}
	return spans
}

// said returns what a person said in text[from:to]. Clients write it before the output of the tool,
// also under a line of their own that ends with a colon, or after it. Elsewhere such tags are the
// tool's output, which nobody said. An output that begins or ends with them cannot be told from a
// person's words.
func said(text string, from, to int) (parts []Span) {
	output := strings.TrimSpace(text[from:to])
	from += strings.Index(text[from:to], output)
	above, below, _ := strings.Cut(output, "\n")
	if !strings.HasSuffix(above, ":") {
		below = ""
	}
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

// resultLabel returns the tool that the label at the beginning of a text names, and the length of
// the label, 0 if it begins with none.
func resultLabel(text string) (name string, n int) {
	begin, end := "[", "] Result:"
	if strings.HasPrefix(text, executed) {
		begin, end = executed, "]:"
	}
	inside, found := strings.CutPrefix(text[:min(len(text), maxTag)], begin)
	name, _, _ = strings.Cut(inside, "]")
	name, _, _ = strings.Cut(name, " ")
	i := strings.Index(text, end)
	if !found || name == "" || i < 0 {
		return "", 0
	}
	if n = i + len(end); n == len(text) || text[n] == '\n' {
		return name, n
	}
	return "", 0
}

// executed begins the labels of OpenHands.
const executed = "EXECUTION RESULT of ["

// writesTag reports whether a message is the assistant's and has an element of this name, which
// begins a line: <name>…</name> or <function=name>…</function>.
func writesTag(m *view.Message, name string) bool {
	if m == nil || m.Role() != view.Assistant {
		return false
	}
	text := "\n" + m.Text()
	for _, tag := range [][2]string{{"<" + name + ">", "</" + name + ">"},
		{"<function=" + name + ">", "</function>"}} {
		if _, rest, ok := strings.Cut(text, "\n"+tag[0]); ok && strings.Contains(rest, tag[1]) {
			return true
		}
	}
	return false
}
