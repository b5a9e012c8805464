package tokenizer

import (
	"strings"
	"testing"
	"time"
)

// TestDeepParts: a part takes no more time where its values are nested deep. Reading them anew at
// each level takes some 10 s.
func TestDeepParts(t *testing.T) {
	text := `"` + strings.Repeat("x ", 1<<20) + `"`
	document := `{"type":"document","source":{"type":"content","content":[`
	m := New(Options{}).For("claude-opus-5-5")
	for name, part := range map[string]string{
		"signatures": `{"type":"new","v":` + strings.Repeat(`{"signature":"s","v":`, 9000) + text +
			strings.Repeat(`}`, 9000) + `}`,
		"documents": strings.Repeat(document, 3000) + `{"type":"new","v":` + text + `}` +
			strings.Repeat(`]}}`, 3000),
	} {
		body := `{"messages":[{"role":"user","content":[` + part + `]}]}`
		started := time.Now()
		if n := m.Request(parse(t, body)).Total; n < 1<<20 {
			t.Errorf("%s: %d tokens, want those of the innermost text", name, n)
		}
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}
