package settings

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// ForModel returns the entry for a model in a table by model names and patterns (as in path.Match):
// the last of those that ByModel returns.
func ForModel[T any](of map[string]T, model string) (found T, ok bool) {
	if found, ok = of[model]; ok {
		return found, true
	}
	names := ByModel(of, model)
	if len(names) == 0 {
		return found, false
	}
	return of[names[len(names)-1]], true
}

// ByModel returns the names and patterns in such a table that match a model, the most specific
// last: its exact name, and before it the patterns, the longest last. Of patterns of one length,
// the alphabetically first is the last.
func ByModel[T any](of map[string]T, model string) (names []string) {
	for name := range of {
		if matches(name, model) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		switch {
		case a == model:
			return 1
		case b == model:
			return -1
		}
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(b, a))
	})
	return names
}

// matches reports whether a name equals a pattern or matches it as in path.Match.
func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil || pattern == name
}
