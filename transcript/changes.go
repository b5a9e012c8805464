package transcript

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"killick/reference"
	"killick/transcript/shell"
	"killick/view"
)

// Change is what a call does to a file, or to several.
type Change struct {
	Path string // relative or absolute; "" if it is not known
	// Action is what the call does: "edit", "write", "append", "delete", "move from", "move to",
	// "copy to", "restore".
	Action string
	// Sure is set if the call certainly did that. Otherwise it may have done it.
	Sure bool
	// Commanded is set if a command of the call did it, and names this one file or folder.
	Commanded bool

	of shell.Change
}

// actions are the names of changes.
var actions = [...]string{shell.Edited: "edit", shell.Written: "write", shell.Appended: "append",
	shell.Deleted: "delete", shell.MovedFrom: "move from", shell.MovedTo: "move to",
	shell.CopiedTo: "copy to", shell.Restored: "restore"}

// Replaces reports whether the change certainly replaced or removed all content of a file.
func (c *Change) Replaces(file string) bool {
	return c.Sure && c.of.Kind != shell.Edited && c.of.Kind != shell.Appended && c.of.Covers(file)
}

// Edits reports whether the change keeps the file, with other content.
func (c *Change) Edits() bool { return c.of.Kind == shell.Edited || c.of.Kind == shell.Appended }

// Leaves reports whether the file exists after the change.
func (c *Change) Leaves() bool { return c.of.Kind != shell.Deleted && c.of.Kind != shell.MovedFrom }

// Touches reports whether the change may have affected the earlier content of a file.
func (c *Change) Touches(file string) bool {
	return !(c.Sure && c.of.Kind == shell.Appended) && c.of.Touches(file)
}

// Work returns about how many steps [Change.Replaces] and [Change.Touches] take for a file.
func (c *Change) Work(file string) int { return c.of.Work(file) }

// Name returns the last part of the path of the file or folder that is changed. The paths of all
// files that the change may affect have a part of this name. It is "" if there is no such name.
func (c *Change) Name() string {
	name := c.of.Name()
	if c.of.Path == "" || c.of.Pattern || name == "/" {
		return ""
	}
	return name
}

// commanded caches what was read of a command.
type commanded struct {
	once sync.Once
	read shell.Command // with changes in the folder in which the call runs it
}

// otherLanguages are the tools that run programs of another language than the shell's.
var otherLanguages = set("python", "ipython", "runpython", "executepython", "codeinterpreter",
	"cmd", "powershell")

// shellCommand returns the command that a call gives to a shell, "" if there is none.
func (c *Call) shellCommand() string {
	tool := c.tool
	if c.Effect != Runs || c.script != nil || knownTools[tool] != Runs || otherLanguages[tool] {
		return ""
	}
	var words []string
	for i := range c.Args {
		switch a := &c.Args[i]; {
		case !a.Quoted:
		case a.Key == "command" || a.Key == "cmd" || a.Key == "commandLine":
			return c.Command
		case a.root() == "command" || a.root() == "cmd" || a.root() == "commands":
			words = append(words, a.Text)
		}
	}
	if len(words) == 3 && c.Command == strings.TrimSpace(words[2]) || len(words) == 1 {
		return c.Command // ["bash", "-lc", "…"]
	}
	for i, w := range words { // a program and its arguments, which are quoted for the shell
		if strings.ContainsAny(w, " \t\n'\"\\$`*?[]{}()<>|&;~#!") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// readCommand returns what is read of the call's command.
func (c *Call) readCommand() *shell.Command {
	if c.commanded == nil {
		return &shell.Command{}
	}
	c.commanded.once.Do(func() {
		command := c.shellCommand()
		known := command != ""
		if !known && c.script == nil && !otherLanguages[c.tool] {
			command = c.Command
		}
		read := shell.ReadIn(c.startFolder(), command)
		if c.tool == "powershell" {
			read = shell.ReadPowerShell(c.Command)
		}
		if !known { // the tool is in no table: another shell may run it
			for i := range read.Changes {
				read.Changes[i].Certain = shell.Never
			}
		}
		c.commanded.read = read
	})
	return &c.commanded.read
}

// OnlyReads reports whether the call runs only programs that are known to show something and to
// change nothing.
func (c *Call) OnlyReads() bool { return c.readCommand().OnlyReads() }

// ChangesNothing reports whether the call is known to only show something: its tool is in the
// tables and reads, or it runs only programs that do.
func (c *Call) ChangesNothing() bool {
	return c.Known() && c.Effect == Reads || c.Lists() || c.OnlyReads()
}

// Changes returns what the call does to files, as far as that is known. Contents returns the text
// that it writes.
func (c *Call) Changes() (changes []Change) {
	if c.Status == Refused {
		return nil
	}
	add := func(of shell.Change, sure, commanded bool) {
		changes = append(changes, Change{Path: of.Path, Action: actions[of.Kind], Sure: sure,
			Commanded: commanded, of: of})
	}
	place := c.place()
	for _, of := range c.readCommand().Changes {
		named := isPath(of.Path) && !of.Pattern
		switch {
		case place == "":
			add(of, c.certain(of.Certain), named)
		case named:
			add(of, false, false)
			of.Path += place
			add(of, c.certain(of.Certain), false)
		}
	}
	for _, p := range c.Paths {
		kind, changed := shell.Deleted, p.Effect == Deletes
		if p.Effect == Writes && (p.Patch == "move" || knownTools[c.tool] == moves) {
			kind, changed = shell.MovedTo, true
		}
		if changed && !c.MayHaveFailed() && (c.Known() || p.Patch != "") {
			add(shell.Change{Kind: kind, Path: p.Name}, true, false)
		}
	}
	for _, of := range c.uncertain() {
		add(of, false, false)
	}
	for _, path := range c.namedInline() {
		add(shell.Change{Path: path}, false, false)
	}
	if c.changesOtherwise() {
		for _, p := range c.Paths {
			if p.Patch == "" {
				add(shell.Change{Path: p.Name}, false, false)
			}
		}
	}
	return changes
}

// maxInline is how many files are listed that programs of other languages name.
const maxInline = 64

// namedInline returns the files that the programs of other languages which the call runs name, and
// those that a command names with backslashes. Each of them may be changed; the last is "", any
// file, if there are more.
func (c *Call) namedInline() (paths []string) {
	if c.Effect != Runs || c.OnlyReads() {
		return nil
	}
	programs := c.readCommand().Inline
	if otherLanguages[c.tool] {
		programs = []string{c.Command}
	}
	for _, text := range programs {
		reference.Each(text, func(word string, kind reference.Kind) {
			if kind == reference.Path {
				paths = addInline(paths, word)
			}
		})
	}
	if strings.Contains(c.Command, `\`) { // a shell of Windows may run it
		for word := range strings.FieldsFuncSeq(c.Command, betweenWords) {
			if backslashed.MatchString(word) {
				paths = addInline(paths, word)
			}
		}
	}
	return paths
}

// addInline adds a file that a program names. The last one is "", any file, if there are too many.
func addInline(paths []string, word string) []string {
	if len(paths) > maxInline || !isPath(word) || slices.Contains(paths, word) {
		return paths
	}
	if len(paths) == maxInline {
		word = ""
	}
	return append(paths, word)
}

// backslashed matches a word that can be a path of Windows. In one that begins with neither a drive
// nor a dot, a name of one character is more often an escape sequence.
var backslashed = regexp.MustCompile(`^(?:(?:[A-Za-z]:|\.{1,2})\\(?:[^\\*?:/]+\\)*[^\\*?:/]+|` +
	`(?:[^\\*?:/]{2,}\\)+[^\\*?:/]{2,})$`)

// betweenWords reports whether a character stands between the words of a command in any shell.
func betweenWords(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`|;&<>(){},=", r) }

// changesOtherwise reports whether the call may have changed the files that it names in ways that
// its arguments do not show: its tool is in no table, or what it writes or replaces is not spelled
// out, as by one that undoes an edit, or replaces lines by their numbers.
func (c *Call) changesOtherwise() bool {
	switch {
	case c.Effect == Runs || c.Failed() || c.Lists():
		return false
	case !c.Known():
		return true
	}
	if c.Effect != Writes || knownTools[c.tool] != Writes {
		return false
	}
	contents := c.Contents()
	return len(contents) == 0 || slices.ContainsFunc(contents, func(w Content) bool {
		return w.unstated
	})
}

// certain reports whether the condition for a change by the command is met.
func (c *Call) certain(on shell.Certainty) bool {
	switch {
	case c.MayHaveFailed() || c.Result < 0 || on == shell.Never:
		return false
	case c.Exit == 0:
		return true
	}
	// Agents that state no exit code do report failures.
	return on == shell.IfOK && c.Exit < 0 && (c.Via == nil || c.isTask()) && !c.unfinished
}

// uncertain returns the changes that a script may have made: those of calls that it may or may not
// have made, or whose results are not known.
func (c *Call) uncertain() (changes []shell.Change) {
	if c.script == nil {
		return nil
	}
	s := c.script
	if !s.done { // else each is a call of its own
		for i := range s.nested {
			changes = append(changes, s.nested[i].mayChange()...)
		}
	}
	if s.program.Complete {
		return changes
	}
	for _, text := range s.program.Texts {
		var p patch
		p.readHeads(text)
		for _, named := range p.paths {
			changes = append(changes, shell.Change{Path: named.Name})
		}
		if len(p.paths) == 0 {
			changes = append(changes, shell.Read(text).Changes...)
		}
	}
	return changes
}

// mayChange returns what the call changes if it is made.
func (c *Call) mayChange() []shell.Change {
	changes := slices.Clone(c.readCommand().Changes)
	for _, p := range c.Paths {
		if p.Effect == Writes || p.Effect == Deletes {
			changes = append(changes, shell.Change{Path: p.Name})
		}
	}
	return changes
}

// background are the parameter names that let a command continue after its result.
var background = []string{"run_in_background", "is_background", "isBackground", "background",
	"fireAndForget"}

// readEnd sets whether the command may continue after its result.
func (c *Call) readEnd(m *view.Message, decode func() string) {
	if _, isTask := backgroundTools[c.tool]; c.Effect != Runs && !isTask && !reportTools[c.tool] {
		return
	}
	head, tail := ends(m, decode)
	if c.readSession(head, tail); c.Effect != Runs {
		return
	}
	_, ended, framed := codexExit(head)
	c.unfinished = framed && !ended || kimiFrame.tools[c.tool] && kimiRuns(head) ||
		c.InBackground()
}

// InBackground reports whether the call runs a command beside the conversation: its result is what
// the agent says of that, not what the command printed.
func (c *Call) InBackground() bool {
	return c.begun || c.Effect == Runs && slices.ContainsFunc(background, func(name string) bool {
		a := c.argument(name)
		return a != nil && a.Text == "true"
	})
}
