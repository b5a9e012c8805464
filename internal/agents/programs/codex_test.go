package programs

import (
	"strings"
	"testing"

	"killick/internal/agents/work"
)

// Models write && in scripts as it is, and Killick reads no other spelling.
func TestScriptsAreSpelledAsModelsSpellThem(t *testing.T) {
	for n := 1; n <= 120; n++ {
		for _, s := range work.StepsAt(n, false) {
			script := codexScriptCalls(s, "").Arguments
			if strings.Contains(script, `\u`) {
				t.Errorf("turn %d: %s", n, script)
			}
		}
	}
}
