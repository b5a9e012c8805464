package script

import "github.com/tdewolff/parse/v2/js"

// expression evaluates an expression that certainly runs, and records the calls and prints in it.
func (r *reader) expression(x js.IExpr) value {
	if r.refused || !r.certain {
		return value{}
	}
	switch x := x.(type) {
	case *js.LiteralExpr:
		return r.literal(x)
	case *js.TemplateExpr:
		return r.template(x)
	case *js.ArrayExpr:
		return r.array(x)
	case *js.ObjectExpr:
		return r.properties(x)
	case *js.GroupExpr:
		return r.expression(x.X)
	case *js.Var:
		v, ok := r.known[declared(x)]
		if !ok {
			r.mayFail()
		}
		return v
	case *js.DotExpr:
		v := r.expression(x.X)
		if name, ok := memberName(x); ok {
			return r.memberOf(v, name)
		}
	case *js.IndexExpr:
		v := r.expression(x.X)
		if !x.Optional {
			return r.elementOf(v, r.expression(x.Y))
		}
	case *js.UnaryExpr:
		if x.Op == js.AwaitToken {
			return r.await(x.X)
		}
		r.expression(x.X)
	case *js.BinaryExpr:
		return r.binary(x)
	case *js.CallExpr:
		return r.call(x)
	case *js.CondExpr:
		r.expression(x.Cond)
	case *js.CommaExpr:
		var last value
		for _, item := range x.List {
			last = r.expression(item)
		}
		return last
	case *js.ArrowFunc, *js.FuncDecl:
		return value{} // it does nothing until it is called
	}
	return r.opaque()
}

// opaque returns the value of an expression that is not read, or only in part. It may fail.
func (r *reader) opaque() value {
	r.mayFail()
	return value{}
}

// binary evaluates an expression with two operands.
func (r *reader) binary(x *js.BinaryExpr) value {
	switch x.Op {
	case js.AddToken:
		return r.sum(r.expression(x.X), r.expression(x.Y))
	case js.AndToken, js.OrToken, js.NullishToken: // the second may not be evaluated
		r.expression(x.X)
	case js.EqToken:
		if _, ok := x.X.(*js.Var); ok {
			r.expression(x.Y)
		}
	case js.EqEqToken, js.EqEqEqToken, js.NotEqToken, js.NotEqEqToken, js.LtToken, js.LtEqToken,
		js.GtToken, js.GtEqToken:
		r.expression(x.X)
		r.expression(x.Y)
	}
	return r.opaque()
}

// await evaluates the operand of an await.
func (r *reader) await(x js.IExpr) value {
	if group, ok := x.(*js.GroupExpr); ok {
		return r.await(group.X)
	}
	call, ok := x.(*js.CallExpr)
	if !ok {
		return r.opaque()
	}
	if _, ok := toolOf(call, r.tools); ok {
		v := r.tool(call, !r.caught)
		r.mayThrow()
		return v
	}
	all := r.isGlobalMember(call.X, "Promise", "all")
	if (all || r.isGlobalMember(call.X, "Promise", "allSettled")) && !call.Optional &&
		len(call.Args.List) == 1 && !call.Args.List[0].Rest {
		if list, ok := call.Args.List[0].Value.(*js.ArrayExpr); ok {
			return r.together(list, all)
		}
	}
	r.call(call)
	return r.opaque()
}

// together evaluates Promise.all, which fails if one of its calls fails, or Promise.allSettled.
func (r *reader) together(list *js.ArrayExpr, all bool) value {
	v := value{kind: results}
	for i := range list.List {
		call, ok := list.List[i].Value.(*js.CallExpr)
		if ok = ok && !list.List[i].Spread; ok {
			_, ok = toolOf(call, r.tools)
		}
		if !ok {
			// Another element may stand for several, or fail before the other calls begin.
			r.mayFail()
			return value{}
		}
	}
	for i := range list.List {
		v.items = append(v.items,
			r.tool(list.List[i].Value.(*js.CallExpr), all && !r.caught))
	}
	if r.mayThrow(); !all {
		return value{} // an object with a status and a value for each call
	}
	return v
}

// tool records a call of a tool, if its arguments are spelled out, and returns its result.
func (r *reader) tool(call *js.CallExpr, strict bool) value {
	name, _ := toolOf(call, r.tools)
	made := Call{Name: name, Strict: strict}
	switch args := call.Args.List; {
	case len(args) == 0:
		made.Arguments = "{}"
	case len(args) == 1 && !args[0].Rest:
		v := r.expression(args[0].Value)
		if !v.static() {
			return value{}
		}
		if made.Arguments = v.json; v.kind == text {
			made.Arguments = v.text
		}
	default:
		return value{}
	}
	if r.static += len(made.Arguments); r.static > maxStatic || len(r.calls) == maxCalls {
		r.refused = true
		return value{}
	}
	r.calls = append(r.calls, made)
	return value{kind: result, call: len(r.calls) - 1}
}

// call evaluates a call of anything but a tool.
func (r *reader) call(x *js.CallExpr) value {
	if x.Optional {
		return r.opaque()
	}
	if isVar(x.X, r.text) {
		return r.print(x)
	}
	var of value
	name := ""
	switch callee := x.X.(type) {
	case *js.Var:
	case *js.DotExpr:
		if of = r.receiver(callee.X); !callee.Optional {
			name, _ = memberName(callee)
		}
	default:
		return r.opaque()
	}
	if arrow, ok := arrowIn(x); ok && name == "forEach" && of.kind == results {
		r.each(of.items, arrow.Params.List[0].Binding, bodyOf(arrow))
		return value{}
	}
	args := make([]value, len(x.Args.List))
	for i := range x.Args.List {
		args[i] = r.expression(x.Args.List[i].Value)
		if x.Args.List[i].Rest {
			return r.opaque()
		}
	}
	if name == "join" && of.kind == object {
		return r.joined(of, args)
	}
	if r.isGlobalMember(x.X, "JSON", "stringify") && len(args) > 0 && args[0].kind == result {
		for _, spelling := range args[1:] {
			if spelling.kind != scalar {
				return r.opaque()
			}
		}
		args[0].encoded = true
		return args[0]
	}
	return r.opaque()
}

// receiver evaluates the receiver of a method. The built-in objects of the language cannot fail.
func (r *reader) receiver(x js.IExpr) value {
	if v, ok := x.(*js.Var); ok && declared(v).Decl == js.NoDecl {
		return value{}
	}
	return r.expression(x)
}

// print records a text that is printed.
func (r *reader) print(x *js.CallExpr) value {
	if len(x.Args.List) != 1 || x.Args.List[0].Rest {
		return r.opaque()
	}
	v := r.expression(x.Args.List[0].Value)
	if !r.certain {
		return value{}
	}
	if r.printed++; len(r.prints) == maxPrints {
		r.refused = true
		return value{}
	}
	switch p := (Print{Call: -1}); v.kind {
	case result, member:
		r.prints = append(r.prints, Print{Call: v.call, Member: v.name, JSON: v.encoded})
	case text:
		if v.text != "" { // an empty text leaves no trace in the result
			r.prints = append(r.prints, p)
		}
	default:
		r.prints = append(r.prints, p)
	}
	return value{}
}

// arrowIn returns the only argument of a call, if it is a function with one parameter.
func arrowIn(x *js.CallExpr) (*js.ArrowFunc, bool) {
	if len(x.Args.List) != 1 || x.Args.List[0].Rest {
		return nil, false
	}
	arrow, ok := x.Args.List[0].Value.(*js.ArrowFunc)
	if !ok || arrow.Async || len(arrow.Params.List) != 1 || arrow.Params.Rest != nil ||
		arrow.Params.List[0].Default != nil {
		return nil, false
	}
	return arrow, true
}

// bodyOf returns the statements of a function. An expression counts as one statement.
func bodyOf(arrow *js.ArrowFunc) []js.IStmt {
	if len(arrow.Body.List) == 1 {
		if s, ok := arrow.Body.List[0].(*js.ReturnStmt); ok && s.Value != nil {
			return []js.IStmt{&js.ExprStmt{Value: s.Value}}
		}
	}
	return arrow.Body.List
}

// isGlobalMember reports whether an expression is this member of this built-in object.
func (r *reader) isGlobalMember(x js.IExpr, object, name string) bool {
	dot, ok := x.(*js.DotExpr)
	if !ok || dot.Optional {
		return false
	}
	v, ok := dot.X.(*js.Var)
	if !ok || declared(v).Decl != js.NoDecl || string(declared(v).Data) != object {
		return false
	}
	of, ok := memberName(dot)
	return ok && of == name
}
