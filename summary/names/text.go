package names

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"killick/summary/describe"
)

// Heading is the heading of the index.
const Heading = "\n## Names in calls and messages that are no longer here\n"

// Text renders the index, the newest message first, in at most room bytes.
func Text(names []Name, dir string, room int) string {
	sorted := newestFirst(names, dir)
	text := []byte(Heading)
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[n].together(&sorted[0]) {
			n++
		}
		before := len(text)
		if text = appendNameLine(text, sorted[:n], dir); len(text) > room {
			text = text[:before]
		}
		sorted = sorted[n:]
	}
	if len(text) == len(Heading) {
		return ""
	}
	return string(text)
}

// newestFirst returns names in the order in which they are rendered: the names of one file are
// together, at the place of the newest of them. Their files are relative to dir.
func newestFirst(names []Name, dir string) []Name {
	names = slices.Clone(names)
	for i := range names {
		names[i].Path = strings.TrimPrefix(describe.Under(dir, names[i].Path), "./")
	}
	newest := map[string]int{} // the last message of each file
	for i := range names {
		n := &names[i]
		newest[n.Path] = max(newest[n.Path], n.At)
	}
	type placed struct{ place, index int }
	order := make([]placed, len(names))
	for i := range names {
		if order[i] = (placed{names[i].At, i}); names[i].Path != "" {
			order[i].place = newest[names[i].Path]
		}
	}
	slices.SortFunc(order, func(x, y placed) int {
		if x.place != y.place {
			return y.place - x.place
		}
		a, b := &names[x.index], &names[y.index]
		if a.Path != b.Path {
			return strings.Compare(a.Path, b.Path)
		}
		if a.At != b.At {
			return b.At - a.At
		}
		return cmp.Or(strings.Compare(a.Of, b.Of), x.index-y.index)
	})
	sorted := make([]Name, len(names))
	for i := range order {
		sorted[i] = names[order[i].index]
	}
	return sorted
}

// together reports whether two names are listed on one line: they are from calls on the same file,
// or from the same call or message.
func (n *Name) together(o *Name) bool {
	return n.Path == o.Path && (n.Path != "" || n.At == o.At && n.Of == o.Of)
}

// appendNameLine appends the names of a file, a call or a message. Names that the file or the call
// contains are not repeated after it. The file is relative to dir.
func appendNameLine(text []byte, names []Name, dir string) []byte {
	first := &names[0]
	of := first.Of
	text = append(text, "- "...)
	if first.Path == "" {
		text = append(strconv.AppendInt(text, int64(first.At), 10), ' ')
		text = append(text, cmp.Or(of, "said")...)
	} else {
		of = describe.ShortPath(first.Path, indexedCall)
		text = append(append(text, of...), " ("...)
		text = strconv.AppendInt(text, int64(first.At), 10)
		for i := 1; i < len(names); i++ {
			if names[i].At != names[i-1].At {
				text = strconv.AppendInt(append(text, ", "...), int64(names[i].At), 10)
			}
		}
		text = append(text, ')')
	}
	before := ": "
	for i := range names {
		if word := describe.Under(dir, names[i].Word); !strings.Contains(of, word) {
			text = append(append(text, before...), word...)
			before = " "
		}
	}
	return append(text, '\n')
}

// Count returns the number of names in a line of the index: they contain no spaces and follow the
// call that showed them.
func Count(entry string) int {
	return len(strings.Fields(entry[strings.LastIndex(entry, ": ")+1:]))
}
