package fields

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"killick/internal/closest"
)

// meant returns what to add to a message about the unknown key of a section:
// the key that was probably meant, here or among others, else the known keys.
func meant(section, key string, siblings []string, others []Key) string {
	if name := closest.Name(key, siblings); name != "" && !isKey(key, others) {
		return fmt.Sprintf("; did you mean %s?", Join(section, name))
	}
	if path := respelt(Join(section, key), others); path != "" {
		return fmt.Sprintf("; nest it instead: %s", nested(path))
	}
	if name := closest.Words(key, siblings); name != "" && section != "" {
		return fmt.Sprintf("; did you mean %s?", Join(section, name))
	}
	if path := elsewhere(section, key, others); path != "" {
		return fmt.Sprintf("; did you mean %s?", path)
	}
	section = cmp.Or(section, "the file")
	return fmt.Sprintf("; %s takes %s", section, strings.Join(siblings, ", "))
}

// respelt returns the path of the key that was probably meant by one with other separators, as
// flags and variables have: compaction.trigger as one word, admin-listen or UPSTREAM_BASE_URL.
func respelt(key string, others []Key) string {
	plain := func(s string) string {
		return strings.NewReplacer(".", "", "-", "", "_", "").Replace(strings.ToLower(s))
	}
	for _, k := range others {
		if plain(k.Path) == plain(key) {
			return k.Path
		}
	}
	return ""
}

// nested writes a path as YAML on one line: compaction: {trigger: …}.
func nested(path string) string {
	section, key, ok := strings.Cut(path, ".")
	if !ok {
		return path + ": …"
	}
	return fmt.Sprintf("%s: {%s}", section, nested(key))
}

// elsewhere returns the path of the key of that name in any section. If there is none and the key
// is outside of sections, it returns one with a name close to it.
func elsewhere(section, key string, others []Key) string {
	var names []string
	for _, k := range others {
		names = append(names, lastName(k))
	}
	i := slices.Index(names, key)
	if i < 0 && section == "" {
		i = slices.Index(names, closest.Name(key, names))
	}
	if i < 0 {
		return ""
	}
	return others[i].Path
}

// isKey reports whether a key has exactly that name, in any section.
func isKey(name string, all []Key) bool {
	return slices.ContainsFunc(all, func(k Key) bool { return lastName(k) == name })
}

// lastName returns the last part of a key's path.
func lastName(k Key) string { return k.Path[strings.LastIndexByte(k.Path, '.')+1:] }
