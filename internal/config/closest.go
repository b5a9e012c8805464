package config

import (
	"fmt"
	"slices"
	"strings"
)

// gone are keys that were removed, with what to do instead.
var gone = map[string]string{
	"compaction.max_wait": "was removed: no request waits for a model any more; delete it",
}

// renamed are keys whose former name is still read, by it.
var renamed = map[string]string{"compaction.summary_chars": "compaction.summary_bytes"}

// meant returns what to add to a message about the unknown key of a section:
// the key that was probably meant, here or among others, else the known keys.
func meant(section, key string, siblings []string, others []leaf) string {
	if name := Closest(key, siblings); name != "" && !isKey(key, others) {
		return fmt.Sprintf("; did you mean %s?", join(section, name))
	}
	if path := elsewhere(section, key, others); path != "" {
		return fmt.Sprintf("; did you mean %s?", path)
	}
	if section == "" {
		section = "the file"
	}
	return fmt.Sprintf("; %s takes %s", section, strings.Join(siblings, ", "))
}

// elsewhere returns the path of the key of that name in any section. If there is none and the key
// is outside of sections, it returns one with a name close to it.
func elsewhere(section, key string, others []leaf) string {
	var names []string
	for _, l := range others {
		names = append(names, lastName(l))
	}
	i := slices.Index(names, key)
	if i < 0 && section == "" {
		i = slices.Index(names, Closest(key, names))
	}
	if i < 0 {
		return ""
	}
	return others[i].path
}

// isKey reports whether a key has exactly that name, in any section.
func isKey(name string, all []leaf) bool {
	return slices.ContainsFunc(all, func(l leaf) bool { return lastName(l) == name })
}

// lastName returns the last part of a key's path.
func lastName(l leaf) string { return l.path[strings.LastIndexByte(l.path, '.')+1:] }

// Closest returns the name that differs from got by so little that it was
// probably meant, "" if none does.
func Closest(got string, names []string) string {
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
