package tokenizer

import (
	"strings"
	"testing"
	"time"

	"killick/internal/cputime"
)

// TestDeepParts: a part takes no more time where its values are nested deep. Reading them anew at
// each level takes some 100 times what the text alone takes.
func TestDeepParts(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs at once in it, for the race detector to find")
	}
	text := `"` + strings.Repeat("x ", 1<<20) + `"`
	document := `{"type":"document","source":{"type":"content","content":[`
	count := func(name, part string) time.Duration {
		body := `{"messages":[{"role":"user","content":[` + part + `]}]}`
		m := New(Options{}).For("claude-opus-5-5") // that has counted nothing yet
		started := cputime.Used()
		if n := m.Request(parse(t, body)).Total; n < 1<<20 {
			t.Errorf("%s: %d tokens, want those of the innermost text", name, n)
		}
		return cputime.Used() - started
	}
	flat := count("flat", `{"type":"new","v":`+text+`}`)
	for name, part := range map[string]string{
		"signatures": `{"type":"new","v":` + strings.Repeat(`{"signature":"s","v":`, 9000) + text +
			strings.Repeat(`}`, 9000) + `}`,
		"documents": strings.Repeat(document, 3000) + `{"type":"new","v":` + text + `}` +
			strings.Repeat(`]}}`, 3000),
	} {
		if took := count(name, part); took > 20*flat {
			t.Errorf("%s: %v, %v without nesting", name, took, flat)
		}
	}
}
