package results

import (
	"slices"
	"strings"

	"killick/transcript/speech"
)

// refusals are the beginnings of results of calls that were not allowed to run.
var refusals = []string{
	// Claude Code 2.1.330 and 1.0.128.
	"The user doesn't want to proceed with this tool use.",
	"The user doesn't want to take this action right now.",
	"Permission for this tool use was denied.",
	"Permission for this action has been denied. Reason: ",
	"Permission for this action was denied by the Claude Code auto mode classifier. Reason: ",
	"[Request interrupted by user for tool use]",
	"exec command rejected by user", "patch rejected by user", // Codex 0.169
	// opencode 1.18.34 and 1.2.27.
	"The user rejected permission to use this specific tool call",
	"The user has specified a rule which prevents you from using this specific tool call",

	// qwen-code 0.24.4, gemini-cli 0.61.0.
	"[Operation Cancelled]", "Tool execution denied by policy.",
	"Command was cancelled by user before it could start.",
	`This "run_shell_command" invocation was denied by permission rules.`,
	"[tool_call bridge refused] ", "[tool_call bridge cancelled] ",

	// Cline 3.0.65 and 2.18.0.
	"This tool call was rejected by the user and not executed", "Tool was not executed",
	"The user denied this operation.", "The user denied this patch operation.",

	// Copilot CLI 1.0.102 and 1.0.0; Continue 1.5.47.
	"The user rejected this tool call.",
	"Permission denied and could not request permission from user",
	"Permission denied because the assisted approval check did not approve this request.",
	"Permission denied because an interactive user response was not obtained.",
	"Permission denied because no interactive user response was available.",
	"Permission denied because no permission response path was available.",
	"Permission denied by host policy.", "Permission to run this tool was denied by a deny rule.",
	"The pending permission request was cancelled before the tool could continue.",
	"Permission denied by user", "Command blocked by security policy",
	"Tool execution was not approved.", // OpenAI's Agents SDK 0.20.0
}

// refusalsOf are refusals that name what was not allowed.
var refusalsOf = []struct{ start, has string }{
	// Claude Code 2.1.330 and 1.0.128
	{"Permission to use ", " has been denied"},
	{"Permission to read ", " has been denied"},
	{"Permission to edit ", " has been denied"},
	{"Claude requested permissions to ", ", but you haven't granted it yet."},
	{`Tool execution for "`, `" denied by policy.`},     // gemini-cli 0.61.0
	{"User rejected the tool call for `", "` with id "}, // LangChain 1.5.14
}

// RefusalWords returns what a person typed when they did not let a call run, by the result of the
// call, "" if it holds no words (Claude Code 2.1.330).
func RefusalWords(result string) string {
	if !strings.HasPrefix(result, refusals[0]) {
		return ""
	}
	_, words, _ := strings.Cut(speech.WithoutReminders(result),
		" To tell you how to proceed, the user said:\n")
	return strings.TrimSpace(words)
}

// Refuses reports whether a text begins as agents write that a call was not allowed to run.
func Refuses(text string) bool {
	return slices.ContainsFunc(refusals, func(begin string) bool {
		return strings.HasPrefix(text, begin)
	})
}

// isRefusal reports whether a result begins like those of calls that were not allowed to run.
func isRefusal(head string) bool {
	for _, r := range refusalsOf {
		if strings.HasPrefix(head, r.start) && strings.Contains(head, r.has) {
			return true
		}
	}
	return Refuses(head)
}

// isWholeRefusal reports whether a result that begins like a refusal holds nothing else: it has one
// line, or goes on with a person's words.
func isWholeRefusal(head string) bool {
	first, rest, _ := strings.Cut(head, "\n")
	return rest == "" || strings.HasSuffix(first, " the user said:") ||
		strings.Contains(first, " with the following feedback: ") // opencode 1.18.34
}

// isUnread reports whether a file was not changed because it had not been read (qwen-code 0.24.4).
func isUnread(head string) bool {
	return strings.HasPrefix(head, "File ") &&
		strings.Contains(head, " has not been read in this session. Use the ")
}
