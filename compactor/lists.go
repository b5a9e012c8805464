package compactor

import (
	"slices"
	"strings"
)

// The lists of a summary hold at most maxEntries, newest first; what does not
// fit is the oldest.

func prepend[T any](list []T, item T) []T {
	list = slices.Insert(list, 0, item)
	return list[:min(len(list), maxEntries)]
}

// prependNew prepends item, or moves it to the front if the list has it.
func prependNew(list []string, item string) []string {
	if i := slices.Index(list, item); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	return prepend(list, item)
}

// appendNew appends the items that the list does not have, as long as there is
// room.
func appendNew(list []string, items ...string) []string {
	for _, item := range items {
		if len(list) < maxEntries && !slices.Contains(list, item) {
			list = append(list, item)
		}
	}
	return list
}

// addFacts returns the facts with more behind them. One that tells anew how a
// subject stands ("go test: passed") takes the place of the older one.
func addFacts(facts []string, more ...string) []string {
	for _, fact := range more {
		if slices.Contains(facts, fact) {
			continue
		}
		facts = slices.DeleteFunc(slices.Clone(facts), func(old string) bool { return sameSubject(old, fact) })
		facts = appendNew(facts, fact)
	}
	return facts
}

// sameSubject tells whether both facts say how the same thing stands.
func sameSubject(a, b string) bool {
	of, says, ok := strings.Cut(a, ": ")
	if !ok || !strings.HasPrefix(b, of+": ") {
		return false
	}
	return tellsOutcome(says) && tellsOutcome(b[len(of)+2:])
}

func tellsOutcome(says string) bool {
	for _, word := range []string{"passed", "failed", "done", "not done"} {
		if strings.HasPrefix(says, word) {
			return true
		}
	}
	return false
}

func without[T any](list []T, drop func(T) bool) []T {
	return slices.DeleteFunc(list, drop)
}
