package redact

import (
	"strings"
	"testing"
	"time"
)

// No text takes more than linear time. If each keyword of a run read on to the end of the run, half
// a megabyte would take more than 10 s.
func TestHostileTexts(t *testing.T) {
	const size = 256 << 10
	for _, text := range []struct{ unit, end string }{
		{"key=", "!"}, {"token:", "."}, {"secret=", "a!"}, {"sk-", "-"}, {"eyJ", "a"},
		{"sig=", "A"}, {"bearer ", "a"}, {"password=\"", "x"}, {"[redacted: ", "a"},
		{"-----BEGIN PRIVATE KEY-----", " a"}, {"private-lines: 1\n", "AAAA\n"},
	} {
		long := strings.Repeat(text.unit, size/len(text.unit)) +
			strings.Repeat(text.end, size/len(text.end))
		started := time.Now()
		Text(long)
		if took := time.Since(started); took > 5*time.Second {
			t.Errorf("%q and then %q, %d bytes: %v", text.unit, text.end, len(long), took)
		}
	}
}
