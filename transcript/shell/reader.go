package shell

import (
	"path"
	"strings"
	"unsafe"
)

// reader follows the statements of a command.
type reader struct {
	changes []Change
	where   directory
	folder  string // in which the command starts, "" if that is not known
	room    int    // bytes that are left for changes
	full    bool   // no more changes are added: there may be one of any file
	inline  []string
}

// directory is the working directory of the shell.
type directory struct {
	path string // relative to the one that the command starts in if that is not known
	// unsure is set if the shell may be in another directory: a cd may have failed or not have run,
	// or its argument is not literal.
	unsure bool
}

// add adds a change of the file that a word names.
func (r *reader) add(kind Kind, w word, certain Certainty) {
	if r.full || !w.ok || w.text == "" || w.text == "-" || strings.HasPrefix(w.text, "/dev/") {
		return
	}
	c := Change{Kind: kind, Path: r.where.pathOf(w.text), Pattern: w.glob, Certain: certain}
	if w.glob || r.where.unsure && relative(w.text) {
		c.Certain = Never
	}
	switch size := int(unsafe.Sizeof(c)) + len(c.Path); {
	case c.Path == "":
	case len(c.Path) > maxPath:
		r.addAny()
	case len(r.changes) >= maxChanges || size > r.room:
		r.addAny()
		r.full = true
	default:
		r.changes, r.room = append(r.changes, c), r.room-size
	}
}

// addAny adds a change that may affect any file.
func (r *reader) addAny() {
	if n := len(r.changes); n == 0 || r.changes[n-1].Path != "" {
		r.changes = append(r.changes, Change{Kind: Edited})
	}
}

// pathOf returns the path of a file in a working directory.
func (d directory) pathOf(file string) string {
	if !relative(file) || d.path == "" {
		return strings.TrimPrefix(file, "./")
	}
	return path.Join(d.path, file)
}

func relative(file string) bool {
	return !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "~")
}

// changeDirectory reads the arguments of a cd.
func (r *reader) changeDirectory(args []word) {
	before := r.where
	r.where = directory{path: r.folder, unsure: true}
	if len(args) != 1 || !args[0].literal() || args[0].text == "-" {
		return
	}
	to := args[0].text
	if into := before.pathOf(to); len(into) <= maxPath {
		r.where = directory{path: into, unsure: before.unsure && relative(to)}
	}
}
