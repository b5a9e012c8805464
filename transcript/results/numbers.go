package results

import (
	"strconv"
	"strings"
)

// between reads s as a number enclosed by two texts.
func between(s, before, after string) (n int, ok bool) {
	s, found := strings.CutPrefix(s, before)
	if !found {
		return 0, false
	}
	if s, found = strings.CutSuffix(s, after); !found {
		return 0, false
	}
	return number(s)
}

func number(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil
}
