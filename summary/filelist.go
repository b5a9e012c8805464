package summary

import (
	"cmp"
	"slices"

	"killick/summary/describe"
	"killick/transcript"
)

// fileList holds files in the order of their last use.
type fileList struct {
	files []File
	index map[string]int
	left  bool // whether files of earlier turns were left out, which may be added again

	before []File // of earlier turns
}

// makeRoom makes room for n files, before any is added.
func (l *fileList) makeRoom(n int) {
	l.files, l.index = make([]File, 0, n), make(map[string]int, n)
}

// note adds the files that a call names, unless the call may have failed, or only shows what it
// would do to them: here it would look as if it had done that.
func (l *fileList) note(c *transcript.Call) {
	if c.MayHaveFailed() || c.OnlyShows() {
		return
	}
	for _, p := range c.Paths {
		if c.Lists() || p.Effect == transcript.Other {
			continue
		}
		tool := describe.Tool(c.Name)
		switch {
		case p.Patch == "move" && p.Effect == transcript.Deletes:
			tool = "patch move from"
		case p.Patch == "move":
			tool = "patch move to"
		case p.Patch != "":
			tool = "patch " + p.Patch
		case c.Action() != "":
			tool += " " + c.Action()
		}
		changed := p.Patch != "" ||
			c.Known() && (p.Effect == transcript.Writes || p.Effect == transcript.Deletes)
		l.use(p.Name, tool, c, changed)
	}
	l.noteCommand(c)
}

// noteCommand adds the files that a command certainly changed, each with its last action, or with
// the one that put it there if the command then edited it.
func (l *fileList) noteCommand(c *transcript.Call) {
	if c.Effect != transcript.Runs {
		return
	}
	last := map[string]string{}
	var names []string
	for _, by := range c.Changes() {
		before, again := last[by.Path]
		if by.Sure && by.Commanded && !again {
			names = append(names, by.Path)
		}
		if by.Edits() && (before == "move to" || before == "copy to" || before == "write") {
			continue
		}
		last[by.Path] = by.Action
		if !by.Sure || !by.Commanded {
			last[by.Path] = ""
		}
	}
	for _, name := range names {
		if action := last[name]; action != "" {
			l.use(name, describe.Tool(c.Name)+" "+action, c, true)
		}
	}
}

// use adds a use of a file by a call.
func (l *fileList) use(path, tool string, c *transcript.Call, changed bool) {
	l.add(File{Path: path, Uses: []Use{{Tool: tool, Times: 1, Last: c.Caller + 1}},
		Last: c.Caller + 1, Changed: changed})
}

// add adds a newer use of a file.
func (l *fileList) add(f File) {
	if l.index == nil {
		l.makeRoom(maxEntries / 4)
	}
	i, ok := l.index[f.Path]
	if !ok {
		if f.Uses = slices.Clone(f.Uses); l.left {
			for i := range f.Uses {
				f.Uses[i].Recent = true
			}
		}
		l.index[f.Path] = len(l.files)
		l.files = append(l.files, f)
		return
	}
	old := &l.files[i]
	old.Last, old.Changed = max(old.Last, f.Last), old.Changed || f.Changed
	uses := slices.Clone(old.Uses)
	for _, u := range slices.Backward(f.Uses) {
		at := slices.IndexFunc(uses, func(o Use) bool { return o.Tool == u.Tool })
		if at >= 0 {
			u.Times, u.Last = u.Times+uses[at].Times, max(u.Last, uses[at].Last)
			u.Recent = u.Recent || uses[at].Recent
			uses = slices.Delete(uses, at, at+1)
		} else if len(uses) >= maxUses {
			continue
		}
		uses = slices.Insert(uses, 0, u)
	}
	slices.SortStableFunc(uses, func(a, b Use) int { return b.Last - a.Last })
	old.Uses = uses
}

// maxUses limits the tools that are counted for a file. Later ones are left out: if an earlier one
// were forgotten and used again, its count would be too low.
const maxUses = 16

// shownUses limits the tools that are listed for a file.
const shownUses = 4

// newestFirst returns the files, changed ones first. If there are too many, left is true, and the
// oldest of those that were only read are dropped first, but none that earlier turns have: their
// uses are added up.
func (l *fileList) newestFirst() (files []File, left bool) {
	order := make([]int, len(l.files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &l.files[i], &l.files[j]
		if a.Changed != b.Changed {
			if a.Changed {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Last-a.Last, i-j)
	})
	files = slices.Grow(files, len(order))
	for _, i := range order {
		files = append(files, l.files[i])
	}
	over := len(files) - 2*maxEntries
	if over <= 0 {
		return files, false
	}
	earlier := map[string]bool{}
	for i := range l.before {
		earlier[l.before[i].Path] = true
	}
	files, dropped := dropOldest(files, over, func(f *File) bool { return earlier[f.Path] })
	return files, dropped > 0
}
