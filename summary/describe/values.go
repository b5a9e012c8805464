package describe

import (
	"bytes"
	"slices"
	"strings"

	"killick/rawjson"
	"killick/summary/excerpt"
	"killick/transcript"
)

// MaxOutput limits what is shown of a result, in bytes.
const MaxOutput = 160

// maxValues limits the values of one result.
const maxValues = 8

// wrappers limits the objects that are read in place of an object around them, as deep as they are.
const wrappers = 4

// value is a member of a result.
type value struct {
	name   string
	text   string        // on one line; of a long string the beginning
	object rawjson.Value // a long object, else nil

	showable bool // a string, whose beginning says something, or whole
}

// valuesOf returns the members of a JSON object that are not arguments of the call, as "name:
// value" in their order. Of an object with up to maxValues members, such as {"issue": {…}}, the
// members of long objects in it are listed too, as "issue.id: value". Of a long string, the
// beginning is listed. A mark stands in place of what is too long otherwise. ok is false if all
// are, or if the text is not one object alone: of the lines of a log, the first says little about
// the others.
func valuesOf(text string, c *transcript.Call, room int) (list string, ok bool) {
	if !strings.HasPrefix(text, "{") || len(text) > 1<<20 {
		return "", false
	}
	object := rawjson.Only(text)
	if object == nil {
		return "", false
	}
	given := givenBy(c)
	members := given.beside("", object)
	for range wrappers {
		i := slices.IndexFunc(members, func(v value) bool { return v.object != nil })
		if i < 0 || len(members) > maxValues {
			break
		}
		var inner []value
		for _, v := range members {
			if v.object == nil {
				inner = append(inner, v)
			} else {
				inner = append(inner, given.beside(v.name+".", v.object)...)
			}
		}
		members = inner
	}
	list = strings.Join(firstAndLast(listed(members), room), "; ")
	return list, list == "" || slices.ContainsFunc(members, func(v value) bool {
		return len(v.text) <= LongValue || strings.Contains(list, v.text)
	})
}

// Values returns the members of what a call returned, as a record lists them, in n bytes: "" if it
// did not return an object, if the call failed, or without room.
func Values(text string, c *transcript.Call, n int) string {
	if c.Failed() || n < leastValue {
		return ""
	}
	room := n - maxValues*len("; ") - len(excerpt.Gap)
	values, _ := valuesOf(strings.TrimSpace(text), c, room)
	return excerpt.Cut(values, n) // if no value fits
}

// Naming returns the part of an output that names are read from. The members of an object that is
// no file, and not printed by a command, say what its values are: the next object has the same.
// Spaces stand in their place, unless they have digits, as ids that are members do.
func Naming(text string, c *transcript.Call) string {
	start := strings.TrimLeft(text, " \t\r\n")
	if c.Effect != transcript.Other || start == "" || start[0] != '{' && start[0] != '[' ||
		rawjson.Only(text) == nil {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		from := i
		for i++; b[i] != '"'; i++ {
			if b[i] == '\\' {
				i++
			}
		}
		name := b[from+1 : i]
		if next := rawjson.Space(b, i+1); next < len(b) && b[next] == ':' &&
			!bytes.ContainsAny(name, "0123456789") {
			for k := range name {
				name[k] = ' '
			}
		}
	}
	return string(b)
}

// LongValue is the length in bytes from which a value is only shown if there is room.
const LongValue = MaxOutput / 2

// listed returns values as "name: value". The room that short ones leave is for long ones, such as
// what an error says, the first before others. A mark stands in place of the rest.
func listed(members []value) []string {
	values := make([]string, len(members))
	room := 2 * MaxOutput
	for i, v := range members {
		values[i] = v.name + ": " + v.text
		if len(v.text) > LongValue {
			values[i] = v.name + ": " + strings.TrimSpace(excerpt.Gap)
		}
		room -= len(values[i])
	}
	for i, v := range members {
		if more := len(v.name) + len(": ") + len(v.text) - len(values[i]); v.showable && more > 0 &&
			more <= room {
			values[i] = v.name + ": " + v.text
			room -= more
		}
	}
	return values
}

// givenArguments are the arguments of a call.
type givenArguments struct {
	texts map[string]bool   // the values, with whether they are strings
	named map[string]string // the values by their names
}

func givenBy(c *transcript.Call) *givenArguments {
	given := &givenArguments{map[string]bool{}, map[string]string{}}
	for i := range c.Args {
		a := &c.Args[i]
		given.texts[a.Text] = a.Quoted
		given.named[a.Key] = a.Text
	}
	return given
}

// beside returns the members of an object that say something beside the arguments. prefix precedes
// their names.
func (g *givenArguments) beside(prefix string, object rawjson.Value) (members []value) {
	for name, v := range object.Members() {
		text := string(v[:min(len(v), MaxOutput+1)])
		if v.Kind() == rawjson.String {
			text = v.Text()
		}
		// a number or a truth value that is the same as that of another argument is no repetition
		same, named := g.named[name.Text()]
		if v.Kind() == rawjson.String && g.texts[text] || named && same == text || text == "null" {
			continue
		}
		m := value{name: prefix + excerpt.Line(name.Text()),
			text: excerpt.Beginning(text, MaxOutput)}
		if m.text == "" {
			continue
		}
		m.showable = v.Kind() == rawjson.String || len(v) <= MaxOutput
		if v.Kind() == rawjson.Object && len(m.text) > LongValue {
			m.object = v
		}
		members = append(members, m)
	}
	return members
}

// firstAndLast returns the first and the last values, as many as take room bytes, but at least one:
// the effect of a call is often stated at the end. A mark replaces the others.
func firstAndLast(values []string, room int) []string {
	size, first, last := 0, 0, len(values)
	for n := 0; n < maxValues && first < last; n++ {
		next := first
		if n%2 == 1 {
			next = last - 1
		}
		if size += len(values[next]); size > room && n > 0 {
			break
		}
		if n%2 == 1 {
			last--
		} else {
			first++
		}
	}
	if first == last {
		return values
	}
	return slices.Concat(values[:first], []string{strings.TrimSpace(excerpt.Gap)}, values[last:])
}

// Output returns the values of an output, or else its beginning.
func Output(c *transcript.Call, text string) string {
	if !c.Failed() {
		if values, ok := valuesOf(text, c, 2*MaxOutput); ok {
			return values
		}
	}
	return excerpt.Beginning(text, MaxOutput)
}
