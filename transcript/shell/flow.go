package shell

import (
	"path"
	"strings"
	"unsafe"

	"mvdan.cc/sh/v3/syntax"
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

// diverting are the commands after which statements may not run, or names of programs may refer to
// other ones.
var diverting = set("exit return exec break continue trap eval source . alias unalias enable shopt")

// diverts reports whether statements of a command may not run, or names of programs may refer to
// other ones.
func diverts(file *syntax.File) (found bool) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			found = true
		case *syntax.CallExpr:
			if len(n.Args) > 0 && (diverting[n.Args[0].Lit()] || n.Args[0].Lit() == "command" &&
				len(n.Args) > 1 && diverting[n.Args[1].Lit()]) {
				found = true
			}
		}
		return true
	})
	return found
}

// list reads consecutive statements. Their exit code is that of the last one, so an earlier one may
// have failed.
func (r *reader) list(list []*syntax.Stmt, certain Certainty) {
	for i, s := range list {
		before := r.where
		of := Never
		if i == len(list)-1 {
			if of = certain; i > 0 {
				of = min(certain, IfZero)
			}
		}
		r.statement(s, of)
		r.where.unsure = r.where.unsure || i < len(list)-1 && r.where != before
	}
}

func (r *reader) statement(s *syntax.Stmt, certain Certainty) {
	if s == nil || r.full {
		return
	}
	if s.Negated || s.Background || s.Coprocess || s.Disown {
		certain = Never
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, certain)
		r.inside(c)
	case *syntax.BinaryCmd:
		r.binary(c, certain)
	case *syntax.Subshell:
		before := r.where
		r.list(c.Stmts, certain)
		r.where = before
	case *syntax.Block:
		r.list(c.Stmts, certain)
	case *syntax.TimeClause:
		r.statement(c.Stmt, certain)
	default: // conditions, loops, functions
		r.inside(c)
	}
	r.redirects(s.Redirs, certain)
	r.inputs(s)
}

// inside reads the statements within a node, which may not run.
func (r *reader) inside(n syntax.Node) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			before := r.where
			r.statement(s, Never)
			before.unsure = before.unsure || r.where != before
			r.where = before
			return false
		}
		return true
	})
}

func (r *reader) binary(c *syntax.BinaryCmd, certain Certainty) {
	switch c.Op {
	case syntax.AndStmt:
		if certain == IfOK && !(onlyFiles(c.X, 0) && onlyFiles(c.Y, 0)) {
			certain = IfZero
		}
		r.statement(c.X, certain)
		r.statement(c.Y, certain)
	case syntax.OrStmt:
		r.statement(c.X, Never)
		r.statement(c.Y, Never)
	default: // the exit code of a pipe is that of its last program
		before := r.where
		r.statement(c.X, Never)
		r.where = before
		r.statement(c.Y, certain)
		r.where = before
	}
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

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}
