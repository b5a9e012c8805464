package results_test

import (
	"testing"

	"killick/internal/chattest"
	"killick/transcript"
)

// What agents answer to edits that failed, over chat completions, where no member says so. Each was
// seen by having the agent make such a call.
func TestFailedEdits(t *testing.T) {
	const file = `{"path":"/w/a.txt","file_path":"/w/a.txt","filePath":"/w/a.txt","content":"b"}`
	for tool, texts := range map[string][]string{
		"edit": {
			// Copilot CLI 1.0.102
			"No match found: old_str not found in /w/a.txt; no changes made; you might want to " +
				"try again with correct old_str",
			"Ambiguous match for old_str in /w/a.txt: pattern starting with \"a\" matched at " +
				"lines 1, 4. No changes made; try again with a more specific old_str.",
			`Failed to execute with arguments: {"path":"/w/a.txt"} due to error: Error: ENOENT`,
			"No changes made: old_str and new_str are the same",
			// qwen-code 0.24.4
			"Failed to edit. Found 5 occurrences for old_string in /w/a.txt but replace_all was " +
				"not enabled.",
			"No changes to apply. The old_string and new_string are identical in file: /w/a.txt",
			"File path must be absolute: a.txt", "params must have required property 'old_string'",
			"File already exists, cannot create: /w/a.txt",
			"File /w/a.txt has been modified since you last read it (mtime or size changed). " +
				"Re-read it with the read_file tool before editing it.",
			// pi 1.5.2
			"Could not edit file: /w/a.txt. Error code: ENOENT.",
			"Found 5 occurrences of the text in /w/a.txt. The text must be unique. Please " +
				"provide more context to make it unique.",
			"No changes made to /w/a.txt. The replacement produced identical content. This might " +
				"indicate an issue with special characters.",
			"Validation failed for tool \"edit\":\n  - edits: missing",
			"edits[0] and edits[1] overlap in /w/a.txt. Merge them into one edit.",
			"Could not find edits[1] in /w/a.txt. The oldText must match exactly.",
			// opencode 1.18.33
			"File /w/a.txt not found",
			"No changes to apply: oldString and newString are identical.",
			"Found multiple matches for oldString. Provide more surrounding context.",
			"The edit tool was called with invalid arguments: SchemaError(Missing key\n  at " +
				"[\"newString\"]).\nPlease rewrite the input so it satisfies the expected schema.",
		},
		"create": {
			"Path /w/a.txt already exists as a file. Use `view` to check contents then edit it.",
			"Parent directory /w/x does not exist. You need to create it before creating the file.",
		},
		"write": {
			"EEXIST: file already exists, mkdir '/w/a.txt'",
			"BadResource: FileSystem.writeFile (/w/a.txt/y.txt)",
		},
		"mcp__filesystem__edit_file": {
			"Could not find exact match for edit:\nabc",
			"Wall time: 0.0140 seconds\nOutput:\nCould not find exact match for edit:\nabc",
			"Access denied - symlink target outside allowed directories: /etc/x not in /w",
		},
		"mcp__filesystem__move_file": {"Destination already exists: /w/b.txt"},
		"write_file": {
			"Access denied - path outside allowed directories: /etc/x not in /w",
			"Wall time: 0.0055 seconds\nOutput:\nAccess denied - path outside allowed " +
				"directories: /etc/x not in /w",
			"Parent directory does not exist: /w/x",
			"Path is a directory, not a file: /w",
			"Could not stat /w/a.txt/y.txt to verify prior read (ENOTDIR). Re-read with the " +
				"read_file tool, then retry overwriting it.",
		},
	} {
		for _, result := range texts {
			if c := calling(t, tool, file, result); c.Status != Failed {
				t.Errorf("%s: status %d of %q, want %d", tool, c.Status, result, Failed)
			}
			if c := calling(t, "Bash", `{"command":"./run.sh"}`, result); c.Failed() {
				t.Errorf("a program that prints %q is said to have failed", result)
			}
		}
		for _, result := range []string{
			"File created successfully at: /w/a.txt", "Edit applied successfully.", "EXAMPLE: done",
			"File /w/a.txt updated with changes.", "File /w/a.txt was written; b.txt not found\nok",
		} {
			if c := calling(t, tool, file, result); c.Status == Failed {
				t.Errorf("%s: %q is said to have failed", tool, result)
			}
		}
	}
}

// What Claude Code puts after the report of a sub-agent is no part of it.
func TestEndsOfReports(t *testing.T) {
	const id = "\nagentId: a91f04c (for resuming to continue this agent's work if needed)"
	for end, cut := range map[string]bool{
		id:                                      true,
		id + "\n<usage>total_tokens: 1</usage>": true,
		id + "\n<usage>total_tokens: 1":         false,
		id + "\nMore.":                          false,
		"\nagentId: is the name of a column":    false,
	} {
		for tool, agent := range map[string]bool{"Task": true, "Agent": true, "Bash": false} {
			msgs := chattest.Called(t, tool, `{"prompt":"x"}`, "Found it."+end)
			read := transcript.ReadAll(msgs)
			want := "Found it." + end
			if cut && agent {
				want = "Found it."
			}
			if got := read.Output(&read.Calls[0], read.Text(1)); got != want {
				t.Errorf("%s: %q, want %q", tool, got, want)
			}
		}
	}
}
