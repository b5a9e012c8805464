package describe

import (
	"strings"

	"killick/rawjson"
	"killick/transcript"
)

// Limits of a list of objects whose keys are read.
const (
	leastRows  = 2
	maxColumns = 8  // members of the first object that are tried
	maxKeys    = 2  // columns: an object may have an id and a number
	longestKey = 64 // bytes
)

// Keys returns what later calls name the objects by that a call returned in a list, such as the
// tickets that a search found: the members that are another word with a digit in each object, the
// first two of them. The objects may be the list's or, as in a connection of GraphQL, its nodes. It
// returns none for a file or what a command printed.
func Keys(text string, c *transcript.Call) []string {
	start := strings.TrimLeft(text, " \t\r\n")
	if c.Effect != transcript.Other || start == "" || start[0] != '{' && start[0] != '[' ||
		len(text) > 1<<20 {
		return nil
	}
	return appendKeys(nil, rawjson.Only(text), wrappers)
}

func appendKeys(keys []string, v rawjson.Value, depth int) []string {
	switch v.Kind() {
	case rawjson.Object:
		if depth > 0 {
			for _, member := range v.Members() {
				keys = appendKeys(keys, member, depth-1)
			}
		}
	case rawjson.Array:
		var rows []rawjson.Value
		for row := range v.Elements() {
			if node := row.Get("node"); node.Kind() == rawjson.Object {
				row = node
			}
			if row.Kind() != rawjson.Object {
				return keys
			}
			rows = append(rows, row)
		}
		if len(rows) >= leastRows {
			keys = appendColumns(keys, rows)
		}
	}
	return keys
}

func appendColumns(keys []string, rows []rawjson.Value) []string {
	tried, found := 0, 0
	for name := range rows[0].Members() {
		if column := columnOf(rows, name.Text(), found == 0); column != nil {
			keys = append(keys, column...)
			if found++; found == maxKeys {
				break
			}
		}
		if tried++; tried == maxColumns {
			break
		}
	}
	return keys
}

// columnOf returns the values of a member, nil if they are no keys. Beside another key, numbers are
// none, but amounts and the like.
func columnOf(rows []rawjson.Value, name string, numbers bool) []string {
	column, seen := make([]string, 0, len(rows)), make(map[string]bool, len(rows))
	for _, row := range rows {
		v := row.Get(name)
		text := string(v)
		if v.Kind() == rawjson.String {
			text = v.Text()
		}
		if k := v.Kind(); k != rawjson.String && k != rawjson.Number || len(text) > longestKey ||
			strings.ContainsAny(text, " \t\r\n") || !strings.ContainsAny(text, "0123456789") ||
			k == rawjson.Number && (!numbers || strings.ContainsAny(text, ".eE")) || seen[text] {
			return nil
		}
		seen[text] = true
		column = append(column, text)
	}
	return column
}
