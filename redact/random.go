package redact

import (
	"math"
	"strings"
)

// entropy returns the Shannon entropy of s in bits per byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// makeup counts the kinds of characters in a text.
type makeup struct {
	lower, upper, digits, others int
	// switches counts places where one kind of letter or digit follows another, not counting
	// capitals at the start of a word: random text switches at every second or third character,
	// names at every fifth or less often.
	switches int
}

func makeupOf(s string) (m makeup) {
	last := byte(0)
	for i := range len(s) {
		kind := byte(0)
		switch b := s[i]; {
		case 'a' <= b && b <= 'z':
			kind = 'a'
			m.lower++
		case 'A' <= b && b <= 'Z':
			kind = 'A'
			m.upper++
		case '0' <= b && b <= '9':
			kind = '0'
			m.digits++
		default:
			m.others++
		}
		if kind != 0 && last != 0 && kind != last && (last != 'A' || kind != 'a') {
			m.switches++
		}
		last = kind
	}
	return m
}

func (m *makeup) letters() int { return m.lower + m.upper }

// looksRandom reports whether a value was generated at random, rather than being a name, a path, a
// word or a version.
func looksRandom(s string) bool {
	s = s[:min(len(s), 128)] // enough to decide
	m := makeupOf(s)
	alnum := m.letters() + m.digits
	if alnum < 12 || m.others*5 > len(s) {
		return false
	}
	if m.digits == 0 && (m.lower == 0 || m.upper == 0) {
		return false
	}
	return m.switches*9 >= alnum*2 && entropy(s) >= 3
}

// placeholders are what people write in place of a credential, in lower case.
var placeholders = []string{
	"your", "example", "xxxx", "placeholder", "redacted", "changeme", "change_me", "change-me",
	"dummy", "insert", "replace", "....", "****", "todo", "fixme", "sample", "_here", "-here",
}

// isPlaceholder reports whether a value is a placeholder for a credential.
func isPlaceholder(s string) bool {
	low := strings.ToLower(s[:min(len(s), 128)])
	for _, word := range placeholders {
		if strings.Contains(low, word) {
			return true
		}
	}
	return false
}
