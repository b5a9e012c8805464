package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reader follows the statements of a command.
type reader struct {
	changes []Change
	known   map[string][]word // variables that are set once, to words that are spelled out
	// folder is what relative paths are relative to, as far as the command says.
	folder    string
	uncertain bool // the shell may end early, or names may mean something else
	// lost is set if the command goes to that folder only if it goes where a variable says.
	lost bool
	// returns is set if it has carriage returns, which the parser removes at the ends of lines.
	returns bool
	shells  int
	spoken  map[*syntax.Redirect]bool // redirections that are read with what they lead
}

// enders are commands with which a shell ends before its last statement, or with which the names of
// programs change their meaning.
var enders = set("exit return exec break continue trap eval source . alias unalias enable shopt")

// survey notes what holds for the whole of a command.
func (r *reader) survey(file *syntax.File) {
	r.known = map[string][]word{}
	times := map[string]int{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.FuncDecl:
			r.uncertain = true
		case *syntax.CallExpr:
			if len(n.Args) > 0 && (enders[n.Args[0].Lit()] || n.Args[0].Lit() == "command" &&
				len(n.Args) > 1 && enders[n.Args[1].Lit()]) {
				r.uncertain = true
			}
		case *syntax.WordIter:
			times[n.Name.Value]++
			r.known[n.Name.Value] = r.all(n.Items)
		case *syntax.Assign:
			if n.Name == nil {
				break
			}
			times[n.Name.Value]++
			r.known[n.Name.Value] = nil
			if n.Value != nil && !n.Append && n.Index == nil {
				r.known[n.Name.Value] = r.all([]*syntax.Word{n.Value})
			}
		}
		return true
	})
	for name, n := range times {
		if n > 1 {
			delete(r.known, name)
		}
	}
}

// all returns what words say, nil if one of them says something else than its text.
func (r *reader) all(words []*syntax.Word) (said []word) {
	for _, w := range words {
		of := r.resolve(w)
		if len(of) != 1 || !of[0].plain() {
			return nil
		}
		of[0].loose = true
		said = append(said, of[0])
	}
	return said
}

// list reads statements that follow one another. Their exit code is that of the last one.
func (r *reader) list(list []*syntax.Stmt, certain Certainty) {
	for i, s := range list {
		of := Never
		if i == len(list)-1 {
			if of = certain; i > 0 {
				of = min(certain, IfZero)
			}
		}
		r.statement(s, of)
	}
}

func (r *reader) statement(s *syntax.Stmt, certain Certainty) {
	if s == nil || len(r.changes) > maxChanges {
		return
	}
	if s.Negated || s.Background || s.Coprocess || s.Disown {
		certain = Never
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, s.Redirs, certain)
		r.inside(c)
	case *syntax.BinaryCmd:
		r.binary(c, certain)
	case *syntax.Subshell:
		folder := r.folder
		r.list(c.Stmts, certain)
		r.folder = folder
	case *syntax.Block:
		r.list(c.Stmts, certain)
	case *syntax.TimeClause:
		r.statement(c.Stmt, certain)
	default: // conditions, loops, functions
		r.inside(c)
	}
	r.redirects(s.Redirs, certain, nil)
}

// inside reads the statements within a node as such that may not be carried out.
func (r *reader) inside(n syntax.Node) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.Stmt); ok {
			folder := r.folder
			r.statement(s, Never)
			r.folder = folder
			return false
		}
		return true
	})
}

func (r *reader) binary(c *syntax.BinaryCmd, certain Certainty) {
	switch c.Op {
	case syntax.AndStmt:
		certain = min(certain, IfZero)
		r.statement(c.X, certain)
		r.statement(c.Y, certain)
	case syntax.OrStmt:
		r.statement(c.X, Never)
		r.statement(c.Y, Never)
	default: // the exit code of a pipe is that of its last program
		folder := r.folder
		r.statement(c.X, Never)
		r.folder = folder
		r.statement(c.Y, certain)
		r.folder = folder
	}
}

// add adds a change of the file that a word names.
func (r *reader) add(kind Kind, w word, certain Certainty) {
	r.put(Change{Kind: kind, Certain: certain}, w)
}

// put adds a change of the file that a word names.
func (r *reader) put(c Change, w word) {
	if !w.ok || w.text == "" || w.text == "-" || strings.HasPrefix(w.text, "/dev/") {
		return
	}
	c.Path, c.Pattern = r.in(w), w.glob
	if w.glob || w.end || w.loose || r.lost && !strings.HasPrefix(c.Path, "/") {
		c.Certain = Never
	}
	if r.returns {
		c.Text, c.Known = "", false
	}
	switch {
	case c.Path == "":
	case len(r.changes) >= maxChanges:
		r.any()
	default:
		r.changes = append(r.changes, c)
	}
}

// any notes that any file may have been changed.
func (r *reader) any() {
	if n := len(r.changes); n == 0 || r.changes[n-1].Path != "" {
		r.changes = append(r.changes, Change{Kind: Edited})
	}
}

// in returns the path of a word, relative to the folder that the command has changed to.
func (r *reader) in(w word) string {
	switch {
	case w.end, strings.HasPrefix(w.text, "/"), strings.HasPrefix(w.text, "~"), r.folder == "":
		return strings.TrimPrefix(w.text, "./")
	}
	return path.Join(r.folder, w.text)
}

// change notes that the shell goes to another folder.
func (r *reader) change(words []word) {
	switch {
	case len(words) == 1 && words[0].plain() && words[0].text != "-":
		r.folder, r.lost = r.in(words[0]), r.lost || words[0].loose
	default:
		r.folder = ""
	}
}

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}
