package speech

import (
	"slices"
	"testing"
)

// The line after a notice of Claude Code that says where the output is is no word of a person. A
// notice that a person quotes among words is no block of its own.
func TestNoticesOfTasks(t *testing.T) {
	const notice = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
	const pointer = "\nRead the output file to retrieve the result: /tmp/b1.output"
	const transcript = "\nFull transcript available at: /tmp/b1.output"
	for _, test := range []struct {
		parts  []string
		words  string
		blocks []string
	}{
		{[]string{notice}, "", []string{notice}},
		{[]string{notice + pointer}, "", []string{notice + pointer}},
		{[]string{notice + transcript}, "", []string{notice + transcript}},
		{[]string{notice + pointer + "\n" + task}, task, nil},
		{[]string{notice + pointer, task}, task, []string{notice + pointer}},
		{[]string{"See:\n" + notice}, "See:", nil},
		{[]string{pointer[1:]}, pointer[1:], nil},
	} {
		m := read(t, test.parts...)
		checkSpans(t, m)
		if m.Words() != test.words || !slices.Equal(m.Blocks, test.blocks) {
			t.Errorf("%q: words %q, blocks %q, want %q and %q", test.parts, m.Words(), m.Blocks,
				test.words, test.blocks)
		}
	}
}
