package main

import "testing"

// A name of no agent is refused: a run without it would look like a success.
func TestAgentsAreChosenByName(t *testing.T) {
	got, err := chosen("pi,codex")
	if err != nil || len(got) != 2 || got[0].Name != "pi" || got[1].Name != "codex" {
		t.Errorf("%v, %v", got, err)
	}
	for _, list := range []string{"pi,copilot-cli", "", "pi,"} {
		if got, err := chosen(list); err == nil {
			t.Errorf("%q: %d agents", list, len(got))
		}
	}
}
