// Package closest finds the name that was probably meant by a misspelt one. It never uses it: a
// caller only suggests it.
package closest

import (
	"slices"
	"strings"
)

// Words returns the only name whose words include those of got, or are among them, "" if there is
// none or more than one: base_url for url. Words are separated by _, - or a point.
func Words(got string, names []string) (only string) {
	if len(got) > longestCompared {
		return ""
	}
	asked := words(got)
	for _, name := range names {
		if has := words(name); !includes(has, asked) && !includes(asked, has) {
			continue
		}
		if only != "" {
			return ""
		}
		only = name
	}
	return only
}

func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return r == '_' || r == '-' || r == '.'
	})
}

// includes reports whether each word of some is in all. There is at least one.
func includes(all, some []string) bool {
	return len(some) > 0 && !slices.ContainsFunc(some, func(word string) bool {
		return !slices.Contains(all, word)
	})
}

// Name returns the name that differs from got by so little that it was
// probably meant, "" if none does.
func Name(got string, names []string) string {
	best, least := "", max(1, len(got)/3)
	for _, name := range names {
		if d := editDistance(strings.ToLower(got), strings.ToLower(name)); d <= least &&
			(best == "" || d < least) {
			best, least = name, d
		}
	}
	return best
}

// longestCompared bounds the work on keys that are far from every known name.
const longestCompared = 64

// editDistance returns how many letters must be inserted, deleted, changed or
// swapped with their neighbour to get from a to b.
func editDistance(a, b string) int {
	if len(a) > longestCompared || len(b) > longestCompared {
		return max(len(a), len(b))
	}
	var before, row, next [longestCompared + 1]int
	for j := range len(b) + 1 {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := row[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			next[j] = min(change, row[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
