package describe

import (
	"slices"
	"strconv"
	"strings"

	"killick/rawjson"
	"killick/transcript"
)

// withLists returns the arguments of a call with each of its lists of numbers and truth values as
// one: "coordinate=[640, 400]". Texts in a list are arguments of their own, since each may be long.
func withLists(raw string, args []transcript.Argument) []transcript.Argument {
	begins := func(a transcript.Argument) bool {
		return !a.Quoted && strings.HasSuffix(a.Key, ".0")
	}
	if len(raw) > 1<<20 || !slices.ContainsFunc(args, begins) {
		return args
	}
	object := rawjson.Only(strings.TrimSpace(raw))
	if object.Kind() != rawjson.Object {
		return args
	}
	lists := map[string]rawjson.Value{}
	for name, v := range object.Members() {
		if v.Kind() == rawjson.Array {
			lists[name.Text()] = v
		}
	}
	var all []transcript.Argument
	for i := 0; i < len(args); {
		if begins(args[i]) {
			key := strings.TrimSuffix(args[i].Key, ".0")
			if n, text := list(lists[key], key, args[i:]); n > 0 {
				all = append(all, transcript.Argument{Key: key, Text: text})
				i += n
				continue
			}
		}
		all = append(all, args[i])
		i++
	}
	return all
}

// list returns how many arguments are the elements of a list, if they come first and none of them
// is a text, and all elements on one line.
func list(v rawjson.Value, key string, args []transcript.Argument) (n int, text string) {
	if v.Kind() != rawjson.Array {
		return 0, ""
	}
	var texts []string
	for el := range v.Elements() {
		if n == len(args) || args[n].Quoted || args[n].Key != key+"."+strconv.Itoa(n) ||
			args[n].Text != string(el) {
			return 0, ""
		}
		texts = append(texts, string(el))
		n++
	}
	return n, "[" + strings.Join(texts, ", ") + "]"
}
