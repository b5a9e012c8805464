package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// The steps can be carried out one after the other, and bring about what the model expects.
func TestStepsCanBeCarriedOut(t *testing.T) {
	dir := t.TempDir()
	if err := writeProject(dir, longerBy(recordedGrowth)); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for n := 1; n <= 120; n++ {
		for _, s := range stepsAt(n, true) {
			cmd := exec.Command("sh", "-c", asShell(s))
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if (err != nil) != s.fails || !strings.Contains(string(out), s.want) {
				t.Errorf("turn %d, %s: %v, %.200q; want %q in it and failing %v", n, asShell(s),
					err, out, s.want, s.fails)
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

// Models write && in scripts as it is, and Killick reads no other spelling.
func TestScriptsAreSpelledAsModelsSpellThem(t *testing.T) {
	for n := 1; n <= 120; n++ {
		for _, s := range stepsAt(n, false) {
			script := codexScriptCalls(s, "").arguments
			if strings.Contains(script, `\u`) {
				t.Errorf("turn %d: %s", n, script)
			}
		}
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
		large := len(source(k, longerBy(recordedGrowth)))
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

func TestTurnsAreReadFromIDs(t *testing.T) {
	for id, want := range map[string]int{idOf("toolu", 17, 1): 17,
		"fc_" + idOf("call", 120, 0): 120, "call_other": 0, "": 0} {
		if got := turnOf(id); got != want {
			t.Errorf("turnOf(%q) = %d, want %d", id, got, want)
		}
	}
}
