// Package shell reads which files a command of a shell changes. It parses commands and never runs
// them. It reports only what follows from their structure: which programs run with which words, and
// where redirections lead. It never guesses what a program that it does not know does, and says of
// each change whether it was certainly made.
package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Kind is what a command does to a file.
type Kind byte

// The kinds.
const (
	Edited    Kind = iota // parts of the file are changed, or all of it
	Written               // it has another content
	Appended              // it has more lines at its end
	Deleted               // it no longer exists
	MovedFrom             // it no longer exists under this name
	MovedTo
	CopiedTo
)

// Certainty is when a change is certain to have been made.
type Certainty byte

// The certainties.
const (
	Never  Certainty = iota
	IfZero           // if the exit code of the command is 0
	Unless           // unless the command failed: it does nothing else
)

// Change is what a command does to a file, or to several.
type Change struct {
	Kind Kind
	// Path is the file, or a folder with all in it; "" if it may be any file.
	Path    string
	Pattern bool // Path is a pattern of names
	Certain Certainty
	// Text is all of what is written or appended, if Known is set.
	Text  string
	Known bool
}

// Limits of what is read. A command beyond one of them is not read at all: the parser takes 2 KB of
// stack for each bracket within others.
const (
	maxCommand = 64 << 10 // bytes
	maxDepth   = 100      // brackets within others
	maxChanges = 256
)

// Read returns the changes that a command makes to files, in their order, as far as its text shows
// them; nil if it cannot be read.
func Read(command string) []Change { return read(command, Unless, 0) }

// maxShells limits commands within commands.
const maxShells = 3

func read(command string, certain Certainty, shells int) (changes []Change) {
	if len(command) > maxCommand || depth(command) > maxDepth || shells > maxShells {
		return nil
	}
	defer func() {
		if recover() != nil { // a fault of the parser's must not fail a request
			changes = nil
		}
	}()
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	r := &reader{shells: shells, returns: strings.Contains(command, "\r")}
	r.survey(file)
	if r.uncertain && len(file.Stmts) > 0 {
		certain = Never
	}
	r.list(file.Stmts, certain)
	r.forget()
	return r.changes
}

// depth returns how many opening brackets stand within each other at most.
func depth(command string) (most int) {
	depth := 0
	for i := range len(command) {
		switch command[i] {
		case '(', '{', '[':
			depth++
			most = max(most, depth)
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	return most
}

// forget makes the texts of files unknown that are changed again.
func (r *reader) forget() {
	for i := range r.changes {
		c := &r.changes[i]
		if !c.Known {
			continue
		}
		for k := range r.changes[i+1:] {
			if r.changes[i+1+k].Touches(c.Path) {
				c.Text, c.Known = "", false
				break
			}
		}
	}
}

// Covers reports whether the change is one of a file: of that path, or of a folder around it.
func (c *Change) Covers(file string) bool {
	if c.Path == "" || c.Pattern {
		return false
	}
	changed, file := clean(c.Path), clean(file)
	return strings.HasPrefix(file+"/", changed+"/") || ends(changed, file) || ends(file, changed)
}

func ends(whole, end string) bool { return strings.HasSuffix("/"+whole, "/"+end) }

// Touches reports whether the change may be one of a file. Both may be named relative to several
// folders.
func (c *Change) Touches(file string) bool {
	switch {
	case c.Path == "", c.Covers(file):
		return true
	case !c.Pattern && !strings.Contains(file, path.Base(c.Path)):
		return false
	}
	changed, names := strings.Split(clean(c.Path), "/"), strings.Split(clean(file), "/")
	for from := range names { // a folder of this name anywhere
		if begins(changed, names[from:], c.Pattern) {
			return true
		}
	}
	for from := range changed {
		if begins(changed[from:], names, c.Pattern) {
			return true
		}
	}
	return false
}

// begins reports whether names begin with others, or with such as patterns match.
func begins(with, names []string, pattern bool) bool {
	if len(with) > len(names) {
		return false
	}
	for i, name := range with {
		if name == names[i] {
			continue
		}
		if !pattern {
			return false
		}
		if ok, err := path.Match(name, names[i]); err == nil && !ok {
			return false
		}
	}
	return true
}

// clean returns a path without what names the current or the home folder.
func clean(file string) string {
	if file = path.Clean(file); file[0] != '.' && file[0] != '~' {
		return file
	}
	for strings.HasPrefix(file, "../") || strings.HasPrefix(file, "~/") {
		_, file, _ = strings.Cut(file, "/")
	}
	return file
}
