package workset

import "strings"

// paths finds values by path. Two paths are of one file if they are the same or one is the end of
// the other: agents name files relative to several folders.
type paths struct{ byName map[string][]named }

type named struct {
	path  string
	index int
}

// maxSameName limits how many files of the same name are compared.
const maxSameName = 16

// find returns the index of the file of a path, -1 if there is none.
func (p *paths) find(path string) int {
	same := p.byName[lastName(path)]
	for i := len(same) - 1; i >= max(0, len(same)-maxSameName); i-- {
		if samePath(same[i].path, path) {
			return same[i].index
		}
	}
	return -1
}

func (p *paths) add(path string, index int) {
	if p.byName == nil {
		p.byName = map[string][]named{}
	}
	name := lastName(path)
	p.byName[name] = append(p.byName[name], named{path, index})
}

func lastName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func samePath(a, b string) bool {
	a, b = strings.TrimPrefix(a, "./"), strings.TrimPrefix(b, "./")
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
