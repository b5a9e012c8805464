package script

import "github.com/tdewolff/parse/v2/js"

// reader follows the statements that run whenever the program reaches its end.
type reader struct {
	tools, text *js.Var
	known       map[*js.Var]value // of constants

	calls       []Call
	prints      []Print
	printed     int // mentions of the function that prints
	otherOutput bool

	caught  bool // a failure here does not end the program
	certain bool // the next statement runs, unless the program ends before
	plain   bool // only calls can have failed so far
	refused bool // the program is not read
	static  int  // bytes of static values so far
}

// statements reads a list of statements.
func (r *reader) statements(list []js.IStmt) {
	for _, s := range list {
		if !r.certain || r.refused {
			return
		}
		r.statement(s)
	}
}

func (r *reader) statement(s js.IStmt) {
	switch s := s.(type) {
	case *js.ExprStmt:
		r.expression(s.Value)
	case *js.VarDecl:
		r.declaration(s)
	case *js.BlockStmt:
		r.statements(s.List)
	case *js.TryStmt:
		r.try(s)
	case *js.ForOfStmt:
		r.loop(s)
	case *js.EmptyStmt, *js.Comment, *js.DirectivePrologueStmt, *js.FuncDecl:
	default:
		r.mayFail()
	}
}

// mayFail records that something other than a call can fail here.
func (r *reader) mayFail() {
	r.plain = false
	r.mayThrow()
}

// mayThrow records that the rest of the body of a try may not run.
func (r *reader) mayThrow() {
	if r.caught {
		r.certain = false
	}
}

// declaration records the constants that a statement declares.
func (r *reader) declaration(d *js.VarDecl) {
	for i := range d.List {
		if d.List[i].Default == nil {
			continue
		}
		v := r.expression(d.List[i].Default)
		if d.TokenType == js.ConstToken {
			r.bind(d.List[i].Binding, v)
		}
		if !r.certain {
			return
		}
	}
}

// bind records the value of a constant, or of the constants of a pattern.
func (r *reader) bind(to js.IBinding, v value) {
	switch to := to.(type) {
	case *js.Var:
		// Code with a reference to an object can change it.
		if v.kind != object || declared(to).Uses <= 2 {
			r.known[declared(to)] = v
		}
	case *js.BindingArray:
		if v.kind != results {
			r.mayFail()
			return
		}
		for i := range to.List {
			if i < len(v.items) && to.List[i].Default == nil && to.List[i].Binding != nil {
				r.bind(to.List[i].Binding, v.items[i])
			}
		}
	case *js.BindingObject:
		if v.kind != result {
			r.mayFail()
			return
		}
		for i := range to.List {
			item := &to.List[i]
			if name, ok := boundName(item); ok && item.Value.Default == nil {
				r.bind(item.Value.Binding, value{kind: member, call: v.call, name: name})
			}
		}
	}
}

// boundName returns the name of the member that an item of a pattern takes.
func boundName(item *js.BindingObjectItem) (string, bool) {
	if item.Key == nil {
		v, ok := item.Value.Binding.(*js.Var)
		if !ok {
			return "", false
		}
		return string(v.Data), true
	}
	if item.Key.IsComputed() || !js.IsIdentifierName(item.Key.Literal.TokenType) {
		return "", false
	}
	return string(item.Key.Literal.Data), true
}

// try reads a try statement. In its body, nothing is certain after something that may fail.
func (r *reader) try(s *js.TryStmt) {
	caught := r.caught
	if s.Catch != nil {
		r.caught, r.plain = true, false
	}
	r.statements(s.Body.List)
	if r.caught = caught; s.Catch != nil {
		r.certain = !caught
	}
	if s.Finally != nil {
		r.statements(s.Finally.List)
	}
}

// loop reads `for (const r of results) text(r.output);`. It reads no other loops.
func (r *reader) loop(s *js.ForOfStmt) {
	of, isVar := s.Value.(*js.Var)
	init, isDecl := s.Init.(*js.VarDecl)
	if !isVar || !isDecl || s.Await || init.TokenType == js.VarToken || len(init.List) != 1 {
		r.mayFail()
		return
	}
	list := r.known[declared(of)]
	if list.kind != results {
		r.mayFail()
		return
	}
	r.each(list.items, init.List[0].Binding, s.Body.List)
}

// each reads the body of a loop over results, if it only prints. Mentions of the function that
// prints count once, however many results there are.
func (r *reader) each(items []value, to js.IBinding, body []js.IStmt) {
	if _, ok := to.(*js.Var); !ok || !r.onlyPrints(body) {
		r.mayFail()
		return
	}
	printed := r.printed
	for _, item := range items {
		r.printed = printed
		r.bind(to, item)
		r.statements(body)
	}
	if len(items) == 0 {
		r.printed += len(body)
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
