package partial

import "testing"

// What agents leave out of an output, in the forms that they were seen to write.
func TestKept(t *testing.T) {
	const (
		warning = "Warning: truncated output (original token count: 147224)\n"
		lines   = "Total output lines: 9\n\n"
	)
	for output, want := range map[string]Output{
		warning + lines + "a\nb\nc…12 tokens truncated…y\nz\n":         {"a\nb\n", "z\n", true},
		lines + "a\nb…12 tokens truncated…y\nz\n":                      {"a\n", "z\n", true},
		warning + lines + warning + lines + "a\nb…1 tokens truncated…": {"a\n", "", true},
		lines + "…12 tokens truncated…":                                {"", "", true},
		"<persisted-output>\nOutput too large (75.9KB). Full output saved to: /h/b.txt\n\n" +
			"Preview (first 2KB):\na\nb\nc\n...\n</persisted-output>": {"a\nb\n", "", true},
		"Output too large to read at once (25.7 KB). Saved to: /tmp/1-copilot.txt\n" +
			"Consider using tools.\n\nPreview (first 500 chars):\na\nb": {"a\n", "", true},
		"...output truncated...\n\nFull output saved to: /h/tool\n\na\nb\n": {
			"", "a\nb\n", true},
		"a\nb\n\n[Showing lines 706-1999 of 1999 (50.0KB limit). Full output: /tmp/p.log]": {
			"", "a\nb\n", true},
		"a\nb\n\n...[truncated 18380 chars]...\n\nc\nd\n": {"a\n", "d\n", true},
		"a\nb\n\n...[truncated 8 chars]...\n\nc\nd\n\n...[truncated 9 chars]...\n\nf\ng\n": {
			"a\n", "g\n", true},
		"a\nb[... 119244 more characters truncated; rerun with narrower args if needed]": {
			"a\n", "", true},
		"a\nb\n\n⚠️ [... middle content omitted — showing head and tail ...]\n\nc\nd\n" +
			"[... 9 more characters truncated; rerun with narrower args if needed]": {
			"a\n", "", true},
		"a\nb\nc\n\n... Output truncated at 100000 bytes.":     {"a\nb\n", "", true},
		"a\nb\nc\n\n[stdout truncated: 12 characters removed]": {"a\nb\n", "", true},
		"Tool result too large, the result of this tool call call_1 was saved in the filesystem " +
			"at this path: /large_tool_results/call_1.txt\n\n     1\ta\n": {"", "", true},
		"[showing last 2 of 9 lines]\na\nb\n":                         {"", "a\nb\n", true},
		"[output truncated: showing last ~9 of ~99 tokens]\na\nb\nc":  {"", "b\nc", true},
		"a\nb\nc\n[output truncated: showing first ~9 of ~99 tokens]": {"a\nb\n", "", true},
		"a\nb\n[...output truncated — showing first ~1 + last ~9 of ~99 tokens...]\nc\nd\n": {
			"a\n", "d\n", true},
		"[showing last 2 of 9 lines]\na\nb\n[...output truncated — showing first ~1 + last ~9 of " +
			"~99 tokens...]\nc\nd\n": {"", "d\n", true},
		"Tool output exceeded 9 characters; the full output was saved to a file.\ntool_name: " +
			"Bash\noutput_path: /a.log\n\n[preview: chars [0, 5)]\na\nb\nc\n\n[elided: chars [5, " +
			"9)]\n\n[preview: chars [9, 14)]\nd\ne\n\n\nCommand executed successfully.": {
			"a\nb\n", "", true},
		"a\nb\n\n[Output truncated: showing 3 of 9 characters.]": {"a\n", "", true},
		"a\nb\n... [12,345 characters omitted] ...\nc\nd\n\n[Output truncated: showing 30,000 of " +
			"42,345 characters.]\n[Full output written to: /h/a.txt]": {"a\n", "d", true},
		"a\nb...\n... [CONTENT TRUNCATED] ...\n...c\nd\n":       {"a\n", "d\n", true},
		"a\nb\n\n... [12,345 characters omitted] ...\n\nc\nd\n": {"a\n", "d\n", true},
	} {
		if got := Of(output); got != want {
			t.Errorf("%q: %+v, want %+v", output, got, want)
		}
	}
	for _, output := range []string{"", "a\nb", "a\n\n... Output truncated at 9 bytes.\nb",
		"a\nb…12 tokens truncated…y", "a\n[showing last 2 of 9 lines]\nb",
		"a ...[truncated 8 chars]...", "a\n[... 9 more characters truncated]",
		"a\n[... x more characters truncated; rerun with narrower args if needed]",
		"Total output lines: 9\n\na", warning + "a", "[Showing lines 1-2 of 3]",
		"a\n[Showing lines 1-2 of 9. Use offset=3 to continue.]",
		"Tool output exceeded 9 characters\na", "a\n\n[Output truncated: showing 3 of 9 lines.]",
		"a\n\n[Output truncated: showing 3 of 9 characters.]\nb",
		"Output too large", "a\n...output truncated...\n\nFull output saved to: b\n\nc"} {
		if got := Of(output); got != (Output{Head: output, Tail: output}) {
			t.Errorf("%q: %+v, want it as it is", output, got)
		}
	}
}
