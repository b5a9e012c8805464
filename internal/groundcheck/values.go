package groundcheck

import (
	"encoding/json"
	"strings"
)

// pair is a member of a JSON object: of a string what it says, of another value its JSON. The name
// of one that is inside others begins with their names, each with a dot behind it.
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
		for _, end := range []string{"; ", ""} {
			shown := fold(p.name) + ": " + fold(p.value)
			if len(fold(p.value)) > 80 {
				shown = fold(p.name) + ": […]"
			}
			after, found := begins(rest, shown+end)
			if found && (end != "" || after == "") {
				rest = after
				n++
				break
			}
		}
	}
	return n, n > 0 && rest == ""
}

// begins is strings.CutPrefix, but redacted credentials in s match any text of the prefix.
func begins(s, prefix string) (after string, ok bool) {
	if after, ok = strings.CutPrefix(s, prefix); ok {
		return after, true
	}
	for _, at := range redaction.FindAllStringIndex(s, -1) {
		for end := at[1]; end <= len(s); end++ {
			if quotes(s[:end], prefix) {
				return s[end:], true
			}
		}
	}
	return s, false
}
