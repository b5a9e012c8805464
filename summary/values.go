package summary

import (
	"slices"
	"strings"

	"killick/rawjson"
	"killick/transcript"
)

// maxValues limits the values of one result.
const maxValues = 8

// wrappers limits the objects that are read in place of an object around them, as deep as they are.
const wrappers = 4

// value is a member of a result.
type value struct {
	name   string
	text   string        // on one line
	object rawjson.Value // an object that is too long to be shown, else nil
}

// valuesOf returns the members of a JSON object that are not arguments of the call, as "name:
// value" in their order. Of an object that only holds few members, such as {"issue": {…}}, the
// members of long objects in it are listed too, as "issue.id: value". A mark stands in place of
// another long value. ok is false if all are long, or if the text is not one object alone: of the
// lines of a log, the first says little about the others.
func valuesOf(text string, c *transcript.Call) (list string, ok bool) {
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
		if i < 0 || len(members) > maxValues/2 {
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
	var values []string
	shown := 0
	for _, v := range members {
		if len(v.text) > maxOutput/2 {
			v.text = strings.TrimSpace(gap)
		} else {
			shown++
		}
		values = append(values, v.name+": "+v.text)
	}
	return strings.Join(firstAndLast(values), "; "), shown > 0 || len(values) == 0
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
		text := string(v[:min(len(v), maxOutput)])
		if v.Kind() == rawjson.String {
			text = v.Text()
		}
		// a number or a truth value that is the same as that of another argument is no repetition
		same, named := g.named[name.Text()]
		if v.Kind() == rawjson.String && g.texts[text] || named && same == text || text == "null" {
			continue
		}
		m := value{name: prefix + line(name.Text()), text: line(head(text, maxOutput))}
		if m.text == "" {
			continue
		}
		if v.Kind() == rawjson.Object && len(m.text) > maxOutput/2 {
			m.object = v
		}
		members = append(members, m)
	}
	return members
}

// firstAndLast returns the first and the last values, as many as there is room for: the effect of a
// call is often stated at the end. A mark replaces the others.
func firstAndLast(values []string) []string {
	size, first, last := 0, 0, len(values)
	for n := 0; n < maxValues && first < last; n++ {
		next := first
		if n%2 == 1 {
			next = last - 1
		}
		if size += len(values[next]); size > 2*maxOutput {
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
	return slices.Concat(values[:first], []string{strings.TrimSpace(gap)}, values[last:])
}
