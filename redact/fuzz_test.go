package redact

import (
	"strings"
	"testing"
)

// FuzzText: for any text, matches are within it and in order, and removed by redaction; a second
// pass finds nothing.
func FuzzText(f *testing.F) {
	marks := strings.NewReplacer("«", "", "»", "")
	for _, p := range planted {
		f.Add(marks.Replace(p.text))
	}
	for _, s := range innocent {
		f.Add(s[:min(len(s), 300)])
	}
	for _, s := range hostile {
		f.Add(strings.Repeat(s, 3))
	}
	f.Fuzz(func(t *testing.T, s string) {
		past := 0
		for _, m := range Find(s) {
			if m.Start < past || m.End <= m.Start || m.End > len(s) || m.Kind == "" {
				t.Fatalf("%+v after %d in %q", m, past, s)
			}
			past = m.End
		}
		once := Text(s)
		if twice := Text(once); twice != once {
			t.Fatalf("%q\nbecame %q\nthen   %q", s, once, twice)
		}
	})
}
