package shell

import (
	"path"
	"strings"
)

// Kind is what a command does to a file.
type Kind byte

// The kinds.
const (
	Edited    Kind = iota // any part of the file may have changed
	Written               // its content was replaced
	Appended              // it has more lines at its end
	Deleted               // it no longer exists
	MovedFrom             // it no longer exists under this path
	MovedTo
	CopiedTo
	Restored // it has an earlier content again, or that of another commit
)

// Certainty is the condition under which a change was certainly made.
type Certainty byte

// The certainties.
const (
	Never  Certainty = iota
	IfZero           // if the exit code of the command is 0
	IfOK             // if the command did not fail, since it does nothing else
)

// Change is what a command does to a file, or to several.
type Change struct {
	Kind Kind
	// Path is the file, or a folder and everything in it; "" if it may be any file.
	Path    string
	Pattern bool // Path is a pattern of names
	Certain Certainty
}

// Covers reports whether the change affects a file or a folder that contains it.
func (c *Change) Covers(file string) bool {
	if c.Path == "" || c.Pattern {
		return false
	}
	changed, file := clean(c.Path), clean(file)
	return strings.HasPrefix(file+"/", changed+"/") || ends(changed, file) || ends(file, changed)
}

// ends reports whether a path ends with another one.
func ends(whole, end string) bool { return strings.HasSuffix("/"+whole, "/"+end) }

// Touches reports whether the change may affect a file. The two paths may be relative to different
// folders.
func (c *Change) Touches(file string) bool {
	switch {
	case c.Path == "", c.Covers(file):
		return true
	case !c.Pattern:
		return strings.Contains(file, c.Name()) && meet(clean(c.Path), clean(file))
	}
	changed, names := strings.Split(clean(c.Path), "/"), strings.Split(clean(file), "/")
	for from := range names { // a folder with this name anywhere in the path
		if begins(changed, names[from:]) {
			return true
		}
	}
	for from := range changed {
		if begins(changed[from:], names) {
			return true
		}
	}
	return false
}

// meet reports whether a path is anywhere within another one, or ends with the beginning of it.
func meet(changed, file string) bool {
	changed, file = "/"+changed+"/", "/"+file+"/"
	if strings.Contains(file, changed) {
		return true
	}
	for i := range len(changed) - 1 {
		if changed[i] == '/' && strings.HasPrefix(file, changed[i:]) {
			return true
		}
	}
	return false
}

// Work returns about how many steps [Change.Touches] takes for a file.
func (c *Change) Work(file string) int {
	if c.Pattern {
		return len(c.Path) * len(file)
	}
	return len(c.Path) + len(file)
}

// begins reports whether names begin with those that match patterns.
func begins(patterns, names []string) bool {
	if len(patterns) > len(names) {
		return false
	}
	for i, name := range patterns {
		if name == names[i] {
			continue
		}
		if ok, err := path.Match(name, names[i]); err == nil && !ok {
			return false
		}
	}
	return true
}

// Name returns the last name of the path, "/" or "." if it has none.
func (c *Change) Name() string { return path.Base(path.Clean(slashes(c.Path))) }

// slashes returns a path with slashes in place of the backslashes of Windows, to compare it: shells
// and tools may spell one file in either way.
func slashes(file string) string { return strings.ReplaceAll(file, `\`, "/") }

// clean returns a path with slashes, without leading "./", "../" and "~/".
func clean(file string) string {
	if file = path.Clean(slashes(file)); file[0] != '.' && file[0] != '~' {
		return file
	}
	for strings.HasPrefix(file, "../") || strings.HasPrefix(file, "~/") {
		_, file, _ = strings.Cut(file, "/")
	}
	return file
}
