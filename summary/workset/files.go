package workset

import (
	"slices"
	"strings"

	"killick/transcript"
)

// fileTable collects the uses of files.
type fileTable struct {
	paths
	files []File
}

// newFileTable returns a table of files. They are changed and reordered where uses are added.
func newFileTable(known []File) *fileTable {
	t := &fileTable{files: known}
	t.grow(len(known) + 8)
	for i := range t.files {
		t.add(t.files[i].Path, i)
	}
	return t
}

// of returns the file of a path, and adds it if it is unknown.
func (t *fileTable) of(path string) *File {
	i := t.find(path)
	if i < 0 {
		i = len(t.files)
		path = strings.Clone(path)
		t.add(path, i)
		t.files = append(t.files, File{Path: path, Used: -1, Changed: -1})
	}
	return &t.files[i]
}

// addCall adds the uses of files by a call.
func (t *fileTable) addCall(c *transcript.Call, place int) {
	for _, p := range c.Paths {
		f := t.of(p.Name)
		f.Used = max(f.Used, place)
		if p.Effect == transcript.Writes {
			f.Changed = max(f.Changed, place)
			f.Changes++
		}
	}
	if c.Effect == transcript.Runs {
		for _, by := range c.Changes() {
			if by.Sure && by.Leaves() {
				f := t.of(by.Path)
				f.Used, f.Changed = max(f.Used, place), max(f.Changed, place)
				f.Changes++
			}
		}
		if shown := c.Shows(); shown.Lines && !shown.Elsewhere() {
			for _, path := range shown.Paths {
				f := t.of(path)
				f.Used = max(f.Used, place)
			}
		}
	}
}

// lastUsedFirst returns the files that were used last, the last one first.
func (t *fileTable) lastUsedFirst() []File {
	slices.SortStableFunc(t.files, func(a, b File) int { return b.Used - a.Used })
	return t.files[:min(len(t.files), maxFiles)]
}
