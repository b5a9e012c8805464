package model

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is read, in characters and entries. What is a few times over them is
// left to whoever judges it; what is many times over is no answer but a copy, and a
// fault.
const (
	maxEntry      = 500
	maxStatements = 100
	copied        = 4
)

// tidier collects faults over the members of an answer.
type tidier struct {
	redact func(string) string
	faults []string
}

func (t *tidier) fault(format string, args ...any) {
	if len(t.faults) < mostFaults {
		t.faults = append(t.faults, fmt.Sprintf(format, args...))
	}
}

// line returns a text as valid UTF-8 on one line, credentials taken out.
func (t *tidier) line(name, text string) string {
	if n := utf8.RuneCountInString(text); n > copied*maxEntry {
		t.fault("%s has %d characters, at most %d are allowed", name, n, maxEntry)
		return ""
	}
	return strings.Join(strings.Fields(t.redact(strings.ToValidUTF8(text, "\uFFFD"))), " ")
}

// eachNumbered calls put with the index of each entry's number, from 1 to n. Two of
// one number, one of none, and no entry at all are faults.
func eachNumbered[T any](t *tidier, what string, entries []T, n int, number func(T) int, put func(i int, entry T)) {
	seen := make([]bool, n)
	for at, entry := range entries {
		i := number(entry)
		switch {
		case i < 1 || i > n:
			t.fault("%s.%d has the number %d, want 1 to %d", what, at, i, n)
		case seen[i-1]:
			t.fault("%s has two entries of the number %d", what, i)
		default:
			seen[i-1] = true
			put(i-1, entry)
		}
	}
	if len(entries) == 0 {
		t.fault("%s is empty, want %d entries", what, n)
	}
}

// cut shortens s to at most n bytes, at a character, with an ellipsis.
func cut(s string, n int) string {
	const ellipsis = "…"
	if len(s) <= n {
		return s
	}
	end := n - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + ellipsis
}

// letters returns s in lower case, letters and digits alone.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
