package quotes

import (
	"slices"
	"testing"

	"killick/transcript"
)

func TestFailedRuns(t *testing.T) {
	if slices.Contains([]bool{FailedRun(transcript.Refused, -1, true, false),
		FailedRun(transcript.Failed, -1, false, false), FailedRun(transcript.OK, 0, true, false),
		FailedRun(transcript.Failed, 1, true, true)}, true) {
		t.Error("a call is said to be a command that failed")
	}
}
