package workset

import (
	"path"
	"sort"
	"strings"

	"killick/transcript"
)

// change is a change that a call makes to files.
type change struct {
	transcript.Change
	at int // the message that makes the call
}

// changeList holds changes, the newest first. It is indexed, so that only those that may concern a
// file are compared with its path.
type changeList struct {
	all   []change
	named map[string][]int // indexes in all, by the name that an affected path has a part of
	other []int            // indexes of changes that may affect files of any name
}

// Limits on the changes that are compared with one path. Past maxPatterns, a change of other names
// counts as one of any file; past maxCompared or maxWork, older lines count as out of date.
const (
	maxPatterns = 128
	maxCompared = 1024
	maxWork     = 1 << 16 // steps, see [transcript.Change.Work]
)

// changed is what the first changes of a list did to a file.
type changed struct {
	seen     int  // the number of these changes
	compared int  // how many of them were compared with the path, and
	work     int  // in how many steps
	replaced bool // one of them replaced or removed all of its content
	touched  int  // the message of the last one that may have changed it, 0 for none
}

func (l *changeList) add(c change) {
	at := len(l.all)
	l.all = append(l.all, c)
	name := c.Name()
	if name == "" {
		l.other = append(l.other, at)
		return
	}
	if l.named == nil {
		l.named = map[string][]int{}
	}
	l.named[name] = append(l.named[name], at)
}

// since returns the indexes, from one on, of the changes that must be compared with a path, in
// order: the first maxCompared of them, and one more to show that there are more.
func (l *changeList) since(from int, file string) []int {
	patterns := l.other[:min(len(l.other), maxPatterns)]
	var m merged
	m.add(after(patterns, from))
	if n := len(l.other); n > maxPatterns && l.other[n-1] >= from {
		m.add(l.other[n-1:]) // the last that counts as a change of any file
	}
	for part := range strings.SplitSeq(path.Clean(strings.ReplaceAll(file, `\`, "/")), "/") {
		m.add(after(l.named[part], from))
	}
	return m.list
}

// merged holds the first numbers of several sorted lists, in order and each once.
type merged struct{ list, spare []int }

func (m *merged) add(more []int) {
	const most = maxCompared + 1
	if len(more) == 0 || len(m.list) == most && more[0] >= m.list[most-1] {
		return
	}
	both, list := m.spare[:0], m.list
	for len(both) < most && len(list)+len(more) > 0 {
		if len(more) == 0 || len(list) > 0 && list[0] <= more[0] {
			if len(more) > 0 && list[0] == more[0] {
				more = more[1:]
			}
			both, list = append(both, list[0]), list[1:]
		} else {
			both, more = append(both, more[0]), more[1:]
		}
	}
	m.list, m.spare = both, m.list
}

// after returns the part of a sorted list that begins with the first number that is at least from.
func after(list []int, from int) []int { return list[sort.SearchInts(list, from):] }

// touches reports whether change i may have changed a file.
func (l *changeList) touches(i int, path string) bool {
	return len(l.other) > maxPatterns && i >= l.other[maxPatterns] && l.all[i].Name() == "" ||
		l.all[i].Touches(path)
}
