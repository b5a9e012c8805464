package groundcheck

import (
	"encoding/json"
	"strings"

	"killick/internal/groundcheck/quoted"
)

// pair is a member of a JSON object: of a string what it says, of another value its JSON. The name
// of one that is inside others begins with their names, each with a dot after it.
type pair struct{ name, value string }

// members lists the members of a JSON object in order, if the text is one object and nothing else.
// Those of an object in it follow it.
func members(text string) (pairs []pair) {
	if !json.Valid([]byte(text)) {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			return pairs
		}
		word := string(value)
		if value[0] == '"' {
			_ = json.Unmarshal(value, &word)
		}
		pairs = append(pairs, pair{name.(string), word})
		if value[0] != '{' {
			continue
		}
		for _, p := range members(word) {
			pairs = append(pairs, pair{name.(string) + "." + p.name, p.value})
		}
	}
	return pairs
}

// listsValues reports whether a text lists names and values of members of a JSON result as they are
// there.
func listsValues(shown, result string) (n int, ok bool) {
	rest := shown
	for _, p := range members(result) {
		rest = strings.TrimPrefix(rest, "[…]; ")
		if after, found := afterValue(rest, p); found {
			rest = after
			n++
		}
	}
	return n, n > 0 && rest == ""
}

// afterValue returns what follows a member at the beginning of a list: it is whole, or the mark of
// a cut stands in place of its value or of the end of it.
func afterValue(list string, p pair) (after string, found bool) {
	name, value := quoted.Fold(p.name)+": ", quoted.Fold(p.value)
	whole, found := begins(list, name+value)
	if found && (whole == "" || strings.HasPrefix(whole, "; ")) {
		return strings.TrimPrefix(whole, "; "), true
	}
	shown, after, found := strings.Cut(list, "[…]")
	begun, named := strings.CutPrefix(shown, name)
	if !found || !named || !strings.HasPrefix(value, strings.TrimRight(begun, " ")) ||
		len(value) <= 80 || after != "" && !strings.HasPrefix(after, "; ") {
		return list, false
	}
	return strings.TrimPrefix(after, "; "), true
}

// begins is strings.CutPrefix, but redacted credentials in s match any text of the prefix.
func begins(s, prefix string) (after string, ok bool) {
	if after, ok = strings.CutPrefix(s, prefix); ok {
		return after, true
	}
	for _, at := range quoted.Redaction.FindAllStringIndex(s, -1) {
		for end := at[1]; end <= len(s); end++ {
			if quoted.Is(s[:end], prefix) {
				return s[end:], true
			}
		}
	}
	return s, false
}
