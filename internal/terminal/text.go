package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Printable replaces control characters, so that a file's text cannot control the terminal.
func Printable(s string) string {
	if len(s) > 64 {
		s = s[:64]
	}
	clean := []rune(s)
	for i, r := range clean {
		if r < ' ' || r == 0x7f || r == utf8.RuneError || r >= 0x80 && r < 0xa0 {
			clean[i] = '?'
		}
	}
	return string(clean)
}

// Grouped writes 1234567 as 1,234,567.
func Grouped(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes a number with its noun: 1 pass, 2 passes, 2 summaries.
func Plural(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "s"):
		noun += "es"
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Percent writes a share in per cent.
func Percent(f float64) string { return fmt.Sprintf("%.0f%%", 100*f) }
