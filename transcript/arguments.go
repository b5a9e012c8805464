package transcript

import (
	"encoding/json"
	"strconv"
	"strings"

	"killick/rawjson"
)

// Argument is one decoded scalar in the arguments of a call.
type Argument struct {
	// Key has the member names, the outermost first, joined by dots: "edits.0.old". It is "" if the
	// arguments are not JSON.
	Key    string
	Text   string
	Quoted bool // a string; else a number, true, false or null
}

// root returns the outermost name.
func (a *Argument) root() string {
	root, _, _ := strings.Cut(a.Key, ".")
	return root
}

// isNull reports whether the argument is null.
func (a *Argument) isNull() bool { return !a.Quoted && a.Text == "null" }

// leaf returns the innermost name that is not an array index.
func (a *Argument) leaf() string {
	for key := a.Key; ; {
		i := strings.LastIndexByte(key, '.')
		name := key[i+1:]
		if i < 0 || name == "" || name[0] < '0' || '9' < name[0] {
			return name
		}
		key = key[:i]
	}
}

// Limits on what is read of one call's arguments.
const (
	maxArguments = 512
	maxNested    = 16
	maxKey       = 100 // bytes; a longer key is cut, since each value below it repeats it
)

// readArguments decodes arguments. Text that is not a JSON object or array becomes one argument.
func readArguments(raw string) []Argument {
	value := rawjson.Value(strings.TrimSpace(raw))
	if len(value) == 0 {
		return nil
	}
	if value.Kind() != rawjson.Object && value.Kind() != rawjson.Array || !json.Valid(value) {
		return []Argument{{Text: raw, Quoted: true}}
	}
	var args []Argument
	flatten(&args, "", value, 0)
	return args
}

func flatten(args *[]Argument, key string, v rawjson.Value, depth int) {
	if len(*args) >= maxArguments {
		return
	}
	under := func(name string) string {
		if key != "" {
			name = key + "." + name
		}
		if len(name) > maxKey {
			name = strings.ToValidUTF8(strings.Clone(name[:maxKey]), "")
		}
		return name
	}
	switch kind := v.Kind(); {
	case kind == rawjson.Object && depth < maxNested:
		for name, member := range v.Members() {
			flatten(args, under(name.Text()), member, depth+1)
		}
	case kind == rawjson.Array && depth < maxNested:
		i := 0
		for el := range v.Elements() {
			flatten(args, under(strconv.Itoa(i)), el, depth+1)
			i++
		}
	case kind == rawjson.String:
		*args = append(*args, Argument{Key: key, Text: v.Text(), Quoted: true})
	default:
		*args = append(*args, Argument{Key: key, Text: string(v)})
	}
}
