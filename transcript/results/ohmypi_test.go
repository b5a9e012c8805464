package results_test

import (
	"testing"

	"killick/transcript"
)

// oh-my-pi states the time of a command after its output.
func TestOhMyPi(t *testing.T) {
	const end = "\n\nWall time: 1.50 seconds"
	const ours = `{"i":"Run the tests","command":"make test"}`
	for name, tc := range map[string]struct{ arguments, result, last string }{
		"failed":           {ours, "FAIL a\n" + end + "\n\nCommand exited with code 3", "FAIL a"},
		"succeeded":        {ours, "ok\n" + end, "ok"},
		"of the command's": {ours, "ok" + end + "\nall in all", "all in all"},
		"of another agent": {bashArgs, "ok" + end, "Wall time: 1.50 seconds"},
	} {
		got := transcript.LastLine(outputOf(t, "bash", tc.arguments, tc.result))
		if got != tc.last {
			t.Errorf("%s: the last line is %q, want %q", name, got, tc.last)
		}
	}
}
