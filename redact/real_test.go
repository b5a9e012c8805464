package redact

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"killick/internal/recorded"
)

// Real sessions of agents contain code, hashes, ids and paths, and no real credentials: every match
// is a false positive unless it has been reviewed.
func TestRealTextHasNoMatches(t *testing.T) {
	size := 0
	kinds := map[string]int{}
	seen := map[string]bool{}
	for _, file := range recorded.Files(t, "*.jsonl") {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		size += len(body)
		eachText(body, func(s string) {
			for _, m := range Find(s) {
				if testPasswords[s[m.Start:m.End]] {
					continue
				}
				from, to := max(0, m.Start-40), min(len(s), m.End+20)
				if around := s[from:to]; !seen[around] {
					seen[around] = true
					kinds[m.Kind]++
					t.Logf("%s: %s: %q in %q", filepath.Base(file), m.Kind,
						s[m.Start:m.End], around)
				}
			}
		})
	}
	t.Logf("%d bytes, %v", size, kinds)
	if len(seen) > 0 {
		t.Errorf("%d finds, none of which was there when all were judged: look at each", len(seen))
	}
}

// testPasswords are in test code that a recorded agent read and wrote. They are rightly found.
var testPasswords = map[string]bool{"s3cret": true, "tok=en": true}

// eachText calls yield with every string of lines of JSON, decoded.
func eachText(lines []byte, yield func(string)) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			yield(v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	for line := range bytes.Lines(lines) {
		var v any
		if json.Unmarshal(line, &v) == nil {
			walk(v)
		}
	}
}
