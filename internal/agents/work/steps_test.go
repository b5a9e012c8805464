package work

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// The steps can be carried out one after the other, and bring about what the model expects.
func TestStepsCanBeCarriedOut(t *testing.T) {
	dir := t.TempDir()
	if err := WriteProject(dir, LongerBy(RecordedGrowth)); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for n := 1; n <= 120; n++ {
		for _, s := range StepsAt(n, true) {
			cmd := exec.Command("sh", "-c", AsShell(s))
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if (err != nil) != s.fails || !strings.Contains(string(out), s.Want) {
				t.Errorf("turn %d, %s: %v, %.200q; want %q in it and failing %v", n, AsShell(s),
					err, out, s.Want, s.fails)
			}
			if s.fails {
				failed++
			}
		}
	}
	if failed == 0 {
		t.Error("no command ended with an exit code other than 0")
	}
}

func TestSourcesAreOfTheSizeOfSources(t *testing.T) {
	seen := map[string]bool{}
	for k := range projectFiles {
		text := source(k, 0)
		if len(text) < 2000 || len(text) > 10_000 {
			t.Errorf("%s has %d bytes, want 2,000 to 10,000", sourceName(k), len(text))
		}
		// Copilot CLI reads no file of more than 20 KiB whole.
		large := len(source(k, LongerBy(RecordedGrowth)))
		if large < len(text)+5000 || large > 20<<10 {
			t.Errorf("%s has %d bytes where prompts grow as recorded ones, want at most 20 KiB",
				sourceName(k), large)
		}
		if seen[sourceName(k)] {
			t.Errorf("%s is there twice", sourceName(k))
		}
		seen[sourceName(k)] = true
	}
}
