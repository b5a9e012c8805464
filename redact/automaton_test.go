package redact

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestKeywordsAreFound compares the automaton, which skips to where a keyword may begin, with a
// search for each keyword at each place.
func TestKeywordsAreFound(t *testing.T) {
	type occurrence struct {
		of         string
		start, end int
	}
	words := slices.Concat(byKeyword(rules), contexts, signatures)
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		for range r.IntN(30) {
			of := words[r.IntN(len(words))]
			word := of.text
			if len(of.rules) > 0 && r.IntN(2) == 0 {
				word = of.rules[r.IntN(len(of.rules))].shape.literal
			}
			from := r.IntN(len(word))
			part := word[from : from+1+r.IntN(len(word)-from)]
			if r.IntN(3) == 0 {
				part = strings.ToUpper(part)
			}
			b.WriteString(part)
			if r.IntN(4) == 0 {
				b.WriteString([]string{" ", "x", "é", "\n"}[r.IntN(4)])
			}
		}
		text := b.String()
		var got, want []occurrence
		matters := func(k *keyword, start int) bool {
			return k.context != nil || slices.ContainsFunc(k.rules, func(r *rule) bool {
				return strings.HasPrefix(text[start:], r.shape.literal)
			})
		}
		keywords.each(text, func(k *keyword, start, end int) {
			if matters(k, start) {
				got = append(got, occurrence{k.text, start, end})
			}
		})
		for end := range len(text) + 1 {
			var here []occurrence
			for _, k := range words {
				start := end - len(k.text)
				if start >= 0 && lower(text[start:end]) == k.text && matters(k, start) {
					here = append(here, occurrence{k.text, start, end})
				}
			}
			slices.SortFunc(here, func(a, b occurrence) int { return a.start - b.start })
			want = append(want, here...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("in %q: %v, want %v", text, got, want)
		}
	}
}

// lower is strings.ToLower for the letters of ASCII alone.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}
