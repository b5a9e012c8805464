package compactor

import "slices"

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

func without[T any](list []T, drop func(T) bool) []T {
	return slices.DeleteFunc(list, drop)
}
