package transcript

import (
	"strings"

	"killick/rawjson"
)

// Agents put a frame around the report of any call that failed, whatever the tool is. Kimi Code
// also adds lines to the results of those that went well.
const (
	toolError, toolErrorEnd = "<tool_use_error>", "</tool_use_error>" // Claude Code 2.1.330

	// Kimi Code 2.1.0. A line with the time that the call took may precede it.
	kimiError      = "<system>ERROR: Tool execution failed.</system>"
	kimiEmptyError = "<system>ERROR: Tool execution failed. Tool output is empty.</system>"

	// BeeAI 0.1.30, around the name of the tool in the first line
	beeError, beeErrorEnd = `ToolError: Tool "`, `" has occurred an error!`

	// LangChain 1.5.14 and LangGraph 1.7.3, behind what was thrown. The line begins with a space.
	thrownEnd = "\n Please fix your mistakes."
)

// inToolError reports whether a result is enclosed in such a frame.
func inToolError(head, tail string) bool {
	before, behind := cutToolError(head, tail)
	return before+behind > 0
}

// cutToolError returns how many bytes such a frame takes at either end of a result.
func cutToolError(head, tail string) (before, behind int) {
	switch {
	case strings.HasPrefix(head, toolError) && strings.HasSuffix(tail, toolErrorEnd):
		return len(toolError), len(toolErrorEnd)
	case strings.HasSuffix(tail, thrownEnd) && isThrownError(head):
		return 0, len(thrownEnd)
	case strings.HasPrefix(head, beeError):
		if line, _, ok := strings.Cut(head, "\n"); ok && strings.HasSuffix(line, beeErrorEnd) {
			return len(line) + len("\n"), 0
		}
	}
	return cutKimiError(head), 0
}

// withoutAgentEnd returns the report of a sub-agent without the lines that Claude Code (2.1.330)
// puts behind it: its id, and what it cost.
func withoutAgentEnd(report string) (text string, ok bool) {
	at := strings.LastIndex(report, "\nagentId: ")
	if at < 0 {
		return report, false
	}
	id, rest, _ := strings.Cut(strings.TrimSpace(report[at:]), "\n")
	if !strings.HasSuffix(id, ")") || rest != "" &&
		!(strings.HasPrefix(rest, "<usage>") && strings.HasSuffix(rest, "</usage>")) {
		return report, false
	}
	return report[:at], true
}

// isThrownError reports whether a text begins with the name of an error, as JavaScript and Python
// write what was thrown: "TypeError: ".
func isThrownError(head string) bool {
	name, _, ok := strings.Cut(head, ": ")
	return ok && strings.HasSuffix(name, "Error") && !strings.ContainsAny(name, " \t\n")
}

// cutKimiError returns how many bytes Kimi Code's frame takes at the beginning of a result.
func cutKimiError(head string) int {
	rest := head
	if line, after, ok := strings.Cut(head, "\n"); ok && strings.HasPrefix(line, "Wall time: ") &&
		strings.HasSuffix(line, " seconds") {
		rest = after
	}
	for _, frame := range []string{kimiError, kimiEmptyError} {
		if after, ok := strings.CutPrefix(rest, frame); ok {
			return len(head) - len(strings.TrimPrefix(after, "\n"))
		}
	}
	return 0
}

// kimiTimed are the tools of Kimi Code (2.1.0) whose results begin with the time that the call
// took. Those of servers do too.
var kimiTimed = set("Bash", "Grep", "Glob", "WebSearch", "FetchURL", "Agent", "AgentSwarm")

// cutKimiTime returns a result of such a tool without that line: "Wall time: 0.175 seconds".
func (c *Call) cutKimiTime(result string) string {
	line, rest, _ := strings.Cut(result, "\n")
	seconds, ok := strings.CutPrefix(line, "Wall time: ")
	seconds, of := strings.CutSuffix(seconds, " seconds")
	whole, thousandths, _ := strings.Cut(seconds, ".")
	if _, isNumber := number(whole); ok && of && isNumber && len(thousandths) == len("175") &&
		(kimiTimed[c.Name] || strings.HasPrefix(c.Name, "mcp__")) {
		return rest
	}
	return result
}

// kimiRuns reports whether a result says that the command goes on: it has the number of a task and
// of a process instead of an output.
func kimiRuns(result string) bool {
	_, task, timed := strings.Cut(result, " seconds\ntask_id: ")
	_, process, _ := strings.Cut(task, "\n")
	return timed && strings.HasPrefix(result, "Wall time: ") &&
		strings.HasPrefix(process, "pid: ") && strings.Contains(process, "\nstatus: running\n")
}

// withoutKimiTask returns the end of a result without the lines behind that of the exit code, which
// say where a long output can be read.
func withoutKimiTask(tail string) string {
	at := strings.LastIndex(tail, "\ntask_id: ")
	if at >= 0 && strings.HasSuffix(tail, " to query the task output.") &&
		strings.Contains(tail[at:], "\nnext_step: Use TaskOutput(task_id=") {
		return strings.TrimRight(tail[:at], "\n")
	}
	return tail
}

// withoutKimiStatus returns what the tool for files answers without the line about the lines that
// were read: "<system>9 lines read from file starting from line 1. Total lines in file: 9. …". The
// lines have numbers, so it says nothing more. Of a part of a line, nothing is returned.
func withoutKimiStatus(result string) (lines string, ok bool) {
	at := strings.LastIndexByte(result, '\n') + 1
	status := result[at:]
	if !strings.HasPrefix(status, "<system>") || !strings.HasSuffix(status, "</system>") ||
		!strings.Contains(status, " read from file") ||
		!strings.Contains(status, " Effective max_chars: ") {
		return result, false
	}
	if strings.Contains(status, " fragment: columns [") {
		return "", true
	}
	return result[:at], true
}

// nodeFailures begin what tools return where Node's child_process throws: its message as it is, as
// a string, or behind the tool's own words (grok-cli 0.0.34).
var nodeFailures = []string{"Command failed: ", "Error: Command failed: ",
	"Command failed: Command failed: "}

// namesFailed reports whether a result begins with the message of Node's child_process (20.20) for
// a command that failed. It names the whole command, which is that of the call.
func (c *Call) namesFailed(head string) bool {
	if c.Effect != Runs || c.Command == "" {
		return false
	}
	for _, start := range nodeFailures {
		rest, ok := strings.CutPrefix(head, start)
		if rest, named := strings.CutPrefix(rest, c.Command); ok && named &&
			(rest == "" || rest[0] == '\n') {
			return true
		}
	}
	return false
}

// kitFailed reports whether an object is what Inngest's AgentKit (0.13.2) makes of an exception,
// with a mark. A tool that only shows something may have been asked for such an object.
func (c *Call) kitFailed(object rawjson.Value) bool {
	thrown := object.Get("error")
	return c.Effect != Reads && !c.OnlyReads() && onlyHas(object, thrownMembers) &&
		isError(thrown.Get("__serialized")) && thrown.Get("name").Kind() == rawjson.String &&
		thrown.Get("message").Kind() == rawjson.String
}

// failures are the beginnings of results of failed calls.
var failures = []string{
	"apply_patch verification failed: ",                   // Codex 0.169
	"The tool execution failed with the following error:", // Cline 2.18.0
	"Error executing tool",                                // Continue 1.5.47
	// qwen-code 0.24.4
	"Failed to edit", "No changes to apply. The old_string and new_string are identical",
	"Could not stat ", "File path must be absolute: ", "Path is a directory, not a file: ",
	"params must have required property ", "Notebook file not found: ",
	"File already exists, cannot create: ",
	// opencode 1.18.33
	"Could not find oldString in the file", "Found multiple matches for oldString.",
	"No changes to apply: oldString and newString are identical.",
	"The arguments provided to the tool are invalid: ", "BadResource: FileSystem.",
	"NotFound: FileSystem.", "PermissionDenied: FileSystem.",
	// pi 0.74.2 and 1.5.2
	"Could not find the exact text in ", "Could not edit file: ", "Could not find edits[",
	"oldText must not be empty in ", `Validation failed for tool "`,
	"String to replace not found in file",       // Claude Code 2.1.330
	"File has not been read yet. Read it first", // Claude Code 2.1.330
	// Anthropic's text editor and memory tools, as documented; OpenHands' editor
	"No replacement was performed", "ERROR:\nNo replacement was performed",
	"Error: ", "ERROR: ",
	"[ERROR] Error: ",      // Strands Agents 1.16.0 over OpenAI's APIs
	"File not found: ",     // qwen-code 0.24.4, opencode 1.18.33
	"File does not exist.", // Claude Code 2.1.330
	// deepagents 1.14.1
	"Error editing file '", "Error writing file '", "Error deleting ", "Cannot write to ",
	"String not found in file '", "Multiple occurrences found in '", "Failed to write ",
	// Letta Code 0.25.9, of patches
	"Failed to find expected lines in ", "Failed to find context '",
	"Failed to read file to update ", "Failed to delete file ", "Failed to remove original ",
	"No files were modified.", "Update hunk does not contain any lines",
	"Expected update hunk to start with a @@ ", "Unexpected line found in update hunk: ",
	"The first line of the patch must be ", "The last line of the patch must be ",
	// Mastra 1.71.0
	"The specified text was not found. Make sure you use the exact text from the file.",
	"The specified text appears ",
	"An error occurred while running the tool. Please try again.", // OpenAI's Agents SDK 0.20.0
	// Grok Build 1.0.41
	"The string to replace was not found in the file", "The string to replace was found multiple " +
		"times in the file",
	// Copilot CLI 1.0.102
	"No match found: old_str not found in ", "Ambiguous match for old_str in ",
	"No changes made: old_str and new_str are the same", "Failed to execute with arguments: {",
}

// failuresOf are failures that name the file or the tool.
var failuresOf = []struct{ start, has string }{
	// Copilot CLI 1.0.102
	{"Path ", " already exists as a file. Use `view` to check contents then edit it."},
	{"Parent directory ", " does not exist. You need to create it before creating the file."},
	{"The ", " tool was called with invalid arguments: "},   // opencode 1.18.33
	{"File ", " has been modified since you last read it "}, // qwen-code 0.24.4
	// pi 1.5.2
	{"Found ", " occurrences of the text in "}, {"edits[", " overlap in "},
	{"No changes made to ", ". The replacement produced identical content."},
}

// systemErrors are the codes with which Node's messages of failed operations on files begin, as in
// "ENOENT: no such file or directory, open '/a'". pi 1.5.2 and others pass them on.
var systemErrors = set("ENOENT", "EEXIST", "EISDIR", "ENOTDIR", "EACCES", "EPERM", "EROFS",
	"ENOSPC", "EBUSY", "EMFILE", "ENAMETOOLONG", "ELOOP", "ENOTEMPTY", "EXDEV")

// isSystemError reports whether a report begins like such a message.
func isSystemError(head string) bool {
	code, _, ok := strings.Cut(head, ": ")
	return ok && systemErrors[code]
}

// isMissing reports whether a report says that a file was not found (opencode 1.18.33).
func isMissing(head string) bool {
	return strings.HasPrefix(head, "File ") && strings.HasSuffix(head, " not found") &&
		!strings.Contains(head, "\n")
}

// statusOfWords reads the fixed sentences by which tools that write files report how they ended.
func statusOfWords(head, tail string) Status {
	switch {
	// Copilot CLI 1.0.102
	case strings.HasPrefix(head, "<error>") && strings.HasSuffix(tail, "</error>"):
		return Failed
	case strings.HasPrefix(head, "Success. Updated the following files:\n"), // Codex 0.169
		// Droid 0.215.0
		strings.HasPrefix(head, "Success. Applied changes to the following files:\n"):
		return OK
	}
	for _, start := range failures {
		if strings.HasPrefix(head, start) {
			return Failed
		}
	}
	if isSystemError(head) || isMissing(head) {
		return Failed
	}
	for _, f := range failuresOf {
		if strings.HasPrefix(head, f.start) && strings.Contains(head, f.has) {
			return Failed
		}
	}
	return Unknown
}
