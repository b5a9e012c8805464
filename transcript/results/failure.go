package results

import (
	"slices"
	"strings"
)

// Agents put a frame around the report of any call that failed, whatever the tool is.
const (
	toolError, toolErrorEnd = "<tool_use_error>", "</tool_use_error>" // Claude Code 2.1.330

	// BeeAI 0.1.30, around the name of the tool in the first line
	beeError, beeErrorEnd = `ToolError: Tool "`, `" has occurred an error!`

	// LangChain 1.5.14 and LangGraph 1.7.3, after what was thrown. The line begins with a space.
	thrownEnd = "\n Please fix your mistakes."
)

// inToolError reports whether a result is enclosed in such a frame.
func inToolError(head, tail string) bool {
	before, after := cutToolError(head, tail)
	return before+after > 0
}

// cutToolError returns how many bytes such a frame takes at either end of a result.
func cutToolError(head, tail string) (before, after int) {
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

// isThrownError reports whether a text begins with the name of an error, as JavaScript and Python
// write what was thrown: "TypeError: ".
func isThrownError(head string) bool {
	name, _, ok := strings.Cut(head, ": ")
	return ok && strings.HasSuffix(name, "Error") && !strings.ContainsAny(name, " \t\n")
}

// playwrightErrors begin the results of failed calls of Playwright's server of MCP: the section
// "Error" is its first (0.0.83), and versions before that reported an error as the result. It marks
// such results as failed, but not all clients pass the mark on.
var playwrightErrors = []string{"### Error\n", "### Result\nError: "}

// failedInBrowser reports whether a result is the report of a failed call of Playwright's server.
func (r *reported) failedInBrowser() bool {
	return strings.Contains(r.Tool, "browser") &&
		slices.ContainsFunc(playwrightErrors, func(start string) bool {
			return strings.HasPrefix(afterWallTime(unwrapped(r.head)), start)
		})
}

// nodeFailures begin what tools return where Node's child_process throws: its message as it is, as
// a string, or after the tool's own words (grok-cli 0.0.34).
var nodeFailures = []string{"Command failed: ", "Error: Command failed: ",
	"Command failed: Command failed: "}

// namesFailed reports whether a result begins with the message of Node's child_process (20.20) for
// a command that failed. It names the whole command, which is that of the call.
func (c *Call) namesFailed(head string) bool {
	if !c.Runs || c.Command == "" {
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
	// server-filesystem 2026.8.31, the reference server of MCP
	"Access denied - path outside allowed directories: ",
	"Access denied - symlink target outside allowed directories: ",
	"Parent directory does not exist: ", "Could not find exact match for edit:\n",
	"Destination already exists: ",
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
	head = afterWallTime(head)
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
