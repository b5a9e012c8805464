package workset

import "killick/transcript"

// paths finds values by path.
type paths struct {
	last map[string]int // by name: the index in all of the last path, plus one
	all  []named
}

type named struct {
	path   string
	index  int
	before int // the index in all of the previous path with the same name, plus one; 0 for none
}

// maxSameName limits how many files of the same name are compared.
const maxSameName = 16

// find returns the index of the file of a path, -1 if there is none. Of several files, it is the
// one that was added last.
func (p *paths) find(path string) int {
	at := p.last[lastName(path)]
	for range maxSameName {
		if at == 0 {
			break
		}
		n := &p.all[at-1]
		if transcript.SamePath(n.path, path) {
			return n.index
		}
		at = n.before
	}
	return -1
}

func (p *paths) add(path string, index int) {
	if p.last == nil {
		p.last = map[string]int{}
	}
	name := lastName(path)
	p.all = append(p.all, named{path, index, p.last[name]})
	p.last[name] = len(p.all)
}

// grow makes room for more paths.
func (p *paths) grow(more int) {
	p.last, p.all = make(map[string]int, more), make([]named, 0, more)
}

// lastName returns the last part of a path.
func lastName(path string) string {
	for i := len(path); i > 0; i-- {
		if path[i-1] == '/' || path[i-1] == '\\' {
			return path[i:]
		}
	}
	return path
}

// fileNames are the last parts of paths; nil has all.
type fileNames map[string]bool

// namesOf returns the names of the files that blocks are of. Lines of other files say nothing about
// the blocks.
func namesOf(blocks []Block) fileNames {
	names := fileNames{}
	for i := range blocks {
		names[lastName(blocks[i].Path)] = true
	}
	return names
}

func (n fileNames) has(path string) bool { return n == nil || path != "" && n[lastName(path)] }
