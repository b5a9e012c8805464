package script

import "github.com/tdewolff/parse/v2/js"

func (r *reader) statement(s js.IStmt) {
	switch s := s.(type) {
	case *js.ExprStmt:
		r.expression(s.Value)
	case *js.VarDecl:
		r.declaration(s)
	case *js.ForOfStmt:
		r.loop(s)
	case *js.EmptyStmt, *js.Comment, *js.DirectivePrologueStmt:
	default:
		r.mayFail()
	}
}

// declaration records the constants that a statement declares.
func (r *reader) declaration(d *js.VarDecl) {
	for i := range d.List {
		if d.List[i].Default == nil {
			continue
		}
		v := r.expression(d.List[i].Default)
		to, isVar := d.List[i].Binding.(*js.Var)
		switch {
		case !isVar: // a pattern
			r.mayFail()
		case d.TokenType == js.ConstToken && v.kind != object: // code can change an object
			r.known[declared(to)] = v
		}
	}
}

// loop reads `for (const r of results) text(r.output);`. It reads no other loops. Mentions of the
// function that prints count once, however many results there are.
func (r *reader) loop(s *js.ForOfStmt) {
	of, isVar := s.Value.(*js.Var)
	init, isDecl := s.Init.(*js.VarDecl)
	if !isVar || !isDecl || s.Await || init.TokenType == js.VarToken || len(init.List) != 1 {
		r.mayFail()
		return
	}
	list := r.known[declared(of)]
	each, isVar := init.List[0].Binding.(*js.Var)
	if list.kind != results || !isVar || !r.onlyPrints(s.Body.List) {
		r.mayFail()
		return
	}
	printed := r.printed
	for _, item := range list.items {
		r.printed = printed
		r.known[declared(each)] = item
		for _, s := range s.Body.List {
			r.statement(s)
		}
	}
	if len(list.items) == 0 {
		r.printed += len(s.Body.List)
	}
}

// onlyPrints reports whether each statement only prints one value.
func (r *reader) onlyPrints(body []js.IStmt) bool {
	for _, s := range body {
		statement, ok := s.(*js.ExprStmt)
		if !ok {
			return false
		}
		call, ok := statement.Value.(*js.CallExpr)
		if !ok || !isVar(call.X, r.text) || len(call.Args.List) != 1 {
			return false
		}
		if !r.onlyReads(call.Args.List[0].Value) {
			return false
		}
	}
	return true
}

// onlyReads reports whether an expression is a variable, a member of one, or one of these as JSON.
func (r *reader) onlyReads(x js.IExpr) bool {
	switch x := x.(type) {
	case *js.Var:
		return true
	case *js.DotExpr:
		return r.onlyReads(x.X)
	case *js.CallExpr:
		return r.isGlobalMember(x.X, "JSON", "stringify") && len(x.Args.List) == 1 &&
			!x.Optional && r.onlyReads(x.Args.List[0].Value)
	}
	return false
}
