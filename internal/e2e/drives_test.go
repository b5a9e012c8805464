package e2e

import (
	"bytes"
	"testing"
	"time"

	"killick/internal/recorded"
	"killick/internal/replayreport"
)

// With the paths of Windows, every line is grounded too, and paths are shortened alike.
func TestEveryLineIsGroundedOnWindows(t *testing.T) {
	if raceEnabled {
		t.Skip("nothing runs at once in it: the race detector has nothing to find")
	}
	setting, step := groundings[1], 12
	c := balanced()
	setting.set(&c)
	forward, closeStore, err := replayreport.Strategy("", c).Open(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = closeStore() })
	var found grounding
	folders := 0
	for _, r := range recorded.Some(t, 1, step) {
		if changed, ok := r.OnWindows(t); ok {
			found.add(t, checkFolds(t, &changed, setting.turns, forward))
			last := changed.Body(`"model":"gpt-4o"`, len(changed.Messages))
			if bytes.Contains(forward(last).Body, []byte(`Paths in C:\\`)) {
				folders++
			}
		}
	}
	found.log(t)
	if found.folds == 0 || folders == 0 {
		t.Errorf("%d folds, %d records that state a folder", found.folds, folders)
	}
}
