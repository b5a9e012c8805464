package conversation

import "regexp"

// mcpFrame is what Codex writes before what a tool of MCP returned.
var mcpFrame = regexp.MustCompile(`^Wall time: [\d.]+ seconds\nOutput:\n`)

// writerErrors begin what tools that write files answer if they failed.
var writerErrors = regexp.MustCompile(`^(?:Error: |\[ERROR\] Error: |Error executing tool|` +
	`ERROR: |E[A-Z]{3,11}: |Failed to edit|File not found: |Could not find the exact text in |` +
	`No replacement was performed|ERROR:\nNo replacement was performed|` +
	`The string to replace was |Error editing file '|String not found in file '|` +
	`Multiple occurrences found in '|The specified text was not found\. Make sure you |` +
	`The specified text appears |Failed to |No files were modified\.|` +
	`Update hunk does not contain |Expected update hunk to |Unexpected line found in |` +
	`The (?:first|last) line of the patch |` +
	`An error occurred while running the tool\. Please try again\.|` +
	// of the reference server of MCP for files
	`Access denied - (?:path|symlink target) outside allowed directories: |` +
	`Parent directory does not exist: |Could not find exact match for edit:\n|` +
	`Destination already exists: |` +
	// of Copilot CLI
	`No match found: old_str |Ambiguous match for |No changes made: old_str |Path .* exists as |` +
	`Parent directory .* does not exist\.|` +
	// of qwen-code
	`No changes to apply\. |Could not stat |File path must be |Path is a directory|` +
	`params must have |Notebook file not found|File already exists, cannot |` +
	// of opencode
	`Could not find oldString |Found multiple matches for oldString|No changes to apply: |` +
	`File [^\n]* not found$|File [^\n]* has been modified since you |` +
	`The arguments provided to the tool are invalid|` +
	`The \w+ tool was called with invalid arguments: |\w+: FileSystem\.|` +
	// of pi
	`Could not edit file: |Could not find edits\[|oldText must not be empty |` +
	`Validation failed for tool "|Found \d+ occurrences of the text in |` +
	`edits\[\d+\] and edits\[\d+\] overlap |No changes made to )`)
