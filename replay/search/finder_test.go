package search

import (
	"slices"
	"strings"
	"testing"
)

// The finder must find what a plain search finds.
func FuzzFinder(f *testing.F) {
	const lineA, lineB = "func first(a, b int) (sum int) {", "func second(c, d int) (sum int) {"
	f.Add("one src/a.go two\n"+lineA+"\nsrc/a.gox", "src/a.go src/a.go2 a.go", lineA+"\n"+lineB)
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaa_aaa",
		strings.Repeat("a", 24)+"\n"+strings.Repeat("a", 25))
	f.Add(lineB, "int) int", lineB)
	f.Fuzz(func(t *testing.T, text, words, lines string) {
		var references, quotes []string
		for w := range strings.FieldsSeq(words) {
			kind, _ := kindAt(w, 0)
			if kind&(letter|digit) != 0 && !slices.Contains(references, w) {
				references = append(references, w)
			}
		}
		for line := range strings.SplitSeq(lines, "\n") {
			if len(line) >= MinLine && !slices.Contains(quotes, line) {
				quotes = append(quotes, line)
			}
		}
		got := NewFinder(references, quotes).In([]byte(text))
		for id, line := range quotes {
			if slices.Contains(got.Lines, int32(id)) != strings.Contains(text, line) {
				t.Errorf("line %q in %q: found %t", line, text, !strings.Contains(text, line))
			}
		}
		for id, word := range references {
			if slices.Contains(got.References, int32(id)) != standsIn(text, word) {
				t.Errorf("reference %q in %q: found %t", word, text, !standsIn(text, word))
			}
		}
	})
}

func standsIn(text, word string) bool {
	for from := 0; ; from++ {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		from += i
		end := from + len(word)
		if !endsInWord([]byte(text[:from])) && !beginsInWord([]byte(text[end:])) {
			return true
		}
	}
}
