package results_test

import (
	"testing"
)

// The frame of an output that was too large is after the notice.
func TestFramesBehindNotices(t *testing.T) {
	const output = "a\nb...\n... [CONTENT TRUNCATED] ...\n...c\nd"
	const frame = "Command: make\nDirectory: (root)\nOutput: " + output +
		"\nError: (none)\nExit Code: 2\nSignal: (none)"
	for _, result := range []string{
		"Tool output was too large and has been truncated.\nTo read it, use read_file.\n\n" +
			"Truncated part of the output:\n" + frame,
		"Output too large. Showing first 8,000 and last 32,000 characters. For full output " +
			"see: /h/o\n" + frame,
	} {
		if got := outputOf(t, "run_shell_command", bashArgs, result); got != output {
			t.Errorf("%q: %q, want %q", result, got, output)
		}
		c := calling(t, "run_shell_command", bashArgs, result)
		if c.Status != Failed || c.Exit != 2 {
			t.Errorf("%q: status %d, exit code %d", result, c.Status, c.Exit)
		}
	}
}
