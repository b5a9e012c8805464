package reference

import (
	"slices"
	"testing"
)

// Words in colored output are listed as they appear on a terminal: without the codes, and not in
// halves where a program highlights a part of a name.
func TestNamesInColoredOutput(t *testing.T) {
	for text, want := range map[string][]string{
		"\x1b[96msrc/index.ts\x1b[0m:\x1b[93m14\x1b[0m \x1b[91mx":         {"src/index.ts"},
		"\x1b[38;5;28;01massert\x1b[39;00m x":                             nil,
		"\x1b[2K\x1b[1Gdone/a.go":                                         {"done/a.go"},
		"\x1b]8;;https://a.example/b\x07runOnce\x1b]8;;\x07":              {"runOnce"},
		"to\x1b[01;31m\x1b[KNative\x1b[m\x1b[KP(p), \x1b[1mgetURL\x1b[0m": {"getURL"},
		"[36;1mpackages/core/a.ts[0m":                                     {"packages/core/a.ts"},
		"[32massert [0m":                                                  nil,
	} {
		var got []string
		Each(text, func(word string, _ Kind) { got = append(got, word) })
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for text, want := range map[string]int{
		"\x1b[0mx": 4, "\x1b[38;5;241mx": 11, "\x1b[?25lx": 6, "\x1b(Bx": 3, "\x1b=x": 2,
		"\x1b]0;title\ax": 10, "\x1b]8;;https://a.example\x1b\\x": 24,
		"\x1b": 0, "\x1b[": 0, "\x1b[12": 0, "\x1b[\n": 0, "\x1b]0;a\nb\a": 0, "[0m": 0, "": 0,
	} {
		if got, _ := Escape(text); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}
