package shell

import "mvdan.cc/sh/v3/syntax"

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
