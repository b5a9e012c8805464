package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/internal/closest"
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
	if name := closest.Name(key, siblings); name != "" && !isKey(key, others) {
		return fmt.Sprintf("; did you mean %s?", join(section, name))
	}
	if path := respelt(join(section, key), others); path != "" {
		return fmt.Sprintf("; nest it instead: %s", nested(path))
	}
	if path := elsewhere(section, key, others); path != "" {
		return fmt.Sprintf("; did you mean %s?", path)
	}
	section = cmp.Or(section, "the file")
	return fmt.Sprintf("; %s takes %s", section, strings.Join(siblings, ", "))
}

// respelt returns the path of the key that is written with other separators, as flags and variables
// are: compaction.trigger in one word, admin-listen or UPSTREAM_BASE_URL.
func respelt(key string, others []leaf) string {
	plain := func(s string) string {
		return strings.NewReplacer(".", "", "-", "", "_", "").Replace(strings.ToLower(s))
	}
	for _, l := range others {
		if plain(l.path) == plain(key) {
			return l.path
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
func elsewhere(section, key string, others []leaf) string {
	var names []string
	for _, l := range others {
		names = append(names, lastName(l))
	}
	i := slices.Index(names, key)
	if i < 0 && section == "" {
		i = slices.Index(names, closest.Name(key, names))
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

// grouped matches a number with separators of thousands that only people read.
var grouped = regexp.MustCompile(`^[0-9]{1,3}([ ,'][0-9]{3})+$`)

// amountHint suggests what was probably meant.
func amountHint(s string) string {
	if grouped.MatchString(s) {
		return "; write " + strings.NewReplacer(" ", "", ",", "", "'", "").Replace(s)
	}
	number, unit := s, ""
	if i := strings.IndexFunc(s, func(r rune) bool {
		return r != '.' &&
			(r < '0' || r > '9')
	}); i >= 0 {
		number, unit = s[:i], strings.ToLower(strings.TrimSpace(s[i:]))
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return ""
	}
	switch {
	case unit == "k" && f*1000 >= MinTokens:
		return fmt.Sprintf("; write %d", int(f*1000))
	case unit == "m" && f > 0:
		return fmt.Sprintf("; write %d", int(f*1e6))
	case unit == "%" && f > 0 && f <= 100, unit == "" && f > 1 && f <= 100:
		return fmt.Sprintf("; for %s%% write %s", number, strconv.FormatFloat(f/100, 'g', 4, 64))
	}
	return ""
}

// durationForm matches a number with a unit in words, or with none.
var durationForm = regexp.MustCompile(`^([0-9]{1,6}) *([a-z]*)$`)

// durationUnits are units that are not read, with what to multiply by which unit that is.
var durationUnits = map[string]struct {
	factor int
	unit   string
}{
	"sec": {1, "s"}, "second": {1, "s"}, "min": {1, "m"}, "minute": {1, "m"},
	"hour": {1, "h"}, "d": {24, "h"}, "day": {24, "h"}, "w": {168, "h"}, "week": {168, "h"},
	"s": {1, "s"}, "m": {1, "m"}, "h": {1, "h"},
}

// durationHint suggests what was probably meant.
func durationHint(s string) string {
	parts := durationForm.FindStringSubmatch(strings.ToLower(s))
	if parts == nil {
		return ""
	}
	n, unit := parts[1], parts[2]
	if unit == "" {
		return fmt.Sprintf("; for seconds write %ss", n)
	}
	known, ok := durationUnits[unit]
	if !ok {
		known, ok = durationUnits[strings.TrimSuffix(unit, "s")]
	}
	if !ok {
		return ""
	}
	count, err := strconv.Atoi(n)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("; write %d%s", count*known.factor, known.unit)
}
