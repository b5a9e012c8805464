package describe

import (
	"strconv"
	"strings"

	"killick/rawjson"
	"killick/transcript"
)

// withLists returns the arguments of a call with each of its lists of numbers and truth values as
// one: "coordinate=[640, 400]". Texts in a list are arguments of their own, since each may be long.
func withLists(raw string, args []transcript.Argument) []transcript.Argument {
	object := rawjson.Value(nil)
	for i := 0; i < len(args); i++ {
		key, first := strings.CutSuffix(args[i].Key, ".0")
		if !first || args[i].Quoted {
			continue
		}
		if object == nil {
			if object = rawjson.Only(strings.TrimSpace(raw)); object.Kind() != rawjson.Object {
				return args
			}
		}
		if n, text := list(object.Get(key), key, args[i:]); n > 0 {
			whole := append(args[:i:i], transcript.Argument{Key: key, Text: text})
			args = append(whole, args[i+n:]...)
		}
	}
	return args
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
