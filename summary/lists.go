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
}

// makeRoom makes room for n files, before any is added.
func (l *fileList) makeRoom(n int) {
	l.files, l.index = make([]File, 0, n), make(map[string]int, n)
}

// note adds the files that a call names, unless the call may have failed.
func (l *fileList) note(c *transcript.Call) {
	if c.MayHaveFailed() {
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
			uses = slices.Delete(uses, at, at+1)
		}
		uses = slices.Insert(uses, 0, u)
	}
	slices.SortStableFunc(uses, func(a, b Use) int { return b.Last - a.Last })
	old.Uses = uses[:min(len(uses), maxUses)]
}

// maxUses limits the tools that are listed for a file.
const maxUses = 4

// newestFirst returns the files, changed ones first. If there are too many, left is true, and the
// oldest of those that were only read are dropped first.
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
	return files[:min(len(files), 2*maxEntries)], len(files) > 2*maxEntries
}

// outcomeList holds the last outcome of each distinct call.
type outcomeList struct {
	list   []Outcome
	index  map[string]int
	failed map[string]bool // calls whose last run in earlier turns failed

	sessions map[string]int // of list, by the session in which the command was running
	before   []Outcome      // of earlier turns
}

// failing returns the calls whose last run failed.
func failing(calls []Outcome) map[string]bool {
	failed := map[string]bool{}
	for i := range calls {
		if calls[i].Failed() {
			failed[calls[i].Key] = true
		}
	}
	return failed
}

// keeps reports whether an outcome is recorded. Successful reads and writes of files are shown
// elsewhere; they are recorded only if the same call failed before.
func (l *outcomeList) keeps(o *Outcome) bool {
	if o == nil {
		return false
	}
	_, known := l.index[o.Key]
	return !o.FileAccess || o.Failed() || known || l.failed[o.Key]
}

// goesOn returns the outcome o of a call. If the call reads what an earlier command printed since,
// that is how that command goes on, unless the same command was run again meanwhile.
func (l *outcomeList) goesOn(c *transcript.Call, o *Outcome) Outcome {
	began := l.running(c.Polls())
	if began == nil {
		return *o
	}
	end := *began
	end.Background = false // its output is in this result
	end.At, end.Began = o.At, cmp.Or(began.Began, began.At)
	end.Status, end.Exit, end.Session = o.Status, o.Exit, o.Session
	end.Output, end.Logged, end.Whole = o.Output, o.Logged, o.Whole
	end.Times, end.Fails = 0, o.Fails
	return end
}

// running returns the command that was still running in a session, nil if none is known.
func (l *outcomeList) running(session string) *Outcome {
	if session == "" {
		return nil
	}
	if i, ok := l.sessions[session]; ok && l.list[i].Session == session {
		return &l.list[i]
	}
	for i := range l.before {
		if o := &l.before[i]; o.Session == session {
			if _, again := l.index[o.Key]; again {
				return nil
			}
			return o
		}
	}
	return nil
}

// stop notes that a call ended the command that was running in a session.
func (l *outcomeList) stop(session string) {
	began := l.running(session)
	if began == nil {
		return
	}
	end := *began
	end.Session, end.Times, end.Fails = "", 0, 0
	l.add(end)
}

// end notes that a message says how the command or the sub-agent that was running in a session has
// ended. The output of a command is not in the message; report is what a sub-agent answered.
func (l *outcomeList) end(at int, said transcript.Ended, report string) {
	began := l.running(said.Session)
	if began == nil {
		return
	}
	end := *began
	end.Background, end.Session, end.Output, end.Logged = false, "", report, false
	end.Whole = false
	end.At, end.Began = at, cmp.Or(began.Began, began.At)
	end.Status, end.Exit, end.Times, end.Fails = said.Status, said.Exit, 0, 0
	if said.Status == transcript.Failed {
		end.Fails = 1
	}
	l.add(end)
}

// drop removes the script that was still running in a session: it has ended, and its calls are
// recorded.
func (l *outcomeList) drop(session string) {
	if i, ok := l.sessions[session]; ok && l.list[i].Session == session {
		delete(l.index, l.list[i].Key)
		l.list[i] = Outcome{}
	}
}

// add adds a newer outcome.
func (l *outcomeList) add(o Outcome) {
	if l.index == nil {
		l.index, l.sessions = map[string]int{}, map[string]int{}
	}
	i, ok := l.index[o.Key]
	if ok {
		old := &l.list[i]
		o.Times, o.Fails = o.Times+old.Times, o.Fails+old.Fails
		*old = o
	} else {
		i, l.index[o.Key] = len(l.list), len(l.list)
		l.list = append(l.list, o)
	}
	if o.Session != "" {
		l.sessions[o.Session] = i
	}
}

// newestFirst returns the outcomes. If there are too many, left is true, and the oldest are
// dropped, failed ones last.
func (l *outcomeList) newestFirst() (list []Outcome, left bool) {
	order := make([]int, len(l.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(l.list[j].At-l.list[i].At, i-j) })
	list = slices.Grow(list, len(order))
	for _, i := range order {
		if l.list[i].Key != "" {
			list = append(list, l.list[i])
		}
	}
	if len(list) <= 2*maxEntries {
		return list, false
	}
	room := 2 * maxEntries
	for i := range list {
		if list[i].Failed() {
			room--
		}
	}
	list = slices.DeleteFunc(list, func(o Outcome) bool {
		if o.Failed() {
			return false
		}
		room--
		return room < 0
	})
	return list[:min(len(list), 2*maxEntries)], true
}
