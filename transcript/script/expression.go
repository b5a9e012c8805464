package script

import (
	"github.com/tdewolff/parse/v2/js"

	"killick/rawjson"
)

// expression evaluates an expression that certainly runs, and records the calls and prints in it.
func (r *reader) expression(x js.IExpr) value {
	if r.refused {
		return value{}
	}
	switch x := x.(type) {
	case *js.LiteralExpr:
		return r.literal(x)
	case *js.TemplateExpr:
		if x.Tag == nil && len(x.List) == 0 {
			return r.textOf(cooked(string(x.Tail[1 : len(x.Tail)-1])))
		}
	case *js.ArrayExpr:
		return r.array(x)
	case *js.ObjectExpr:
		return r.properties(x)
	case *js.GroupExpr:
		return r.expression(x.X)
	case *js.Var:
		if v, ok := r.known[declared(x)]; ok {
			return v
		}
	case *js.DotExpr:
		v := r.expression(x.X)
		if name, ok := memberName(x); ok && v.kind == result {
			return value{kind: member, call: v.call, name: name}
		}
	case *js.UnaryExpr:
		if x.Op == js.AwaitToken {
			return r.await(x.X)
		}
	case *js.CallExpr:
		return r.call(x)
	}
	return r.opaque()
}

// opaque returns the value of an expression that is not read, or only in part. It may fail.
func (r *reader) opaque() value {
	r.mayFail()
	return value{}
}

// await evaluates the operand of an await.
func (r *reader) await(x js.IExpr) value {
	call, ok := x.(*js.CallExpr)
	if !ok {
		return r.opaque()
	}
	if _, ok := toolOf(call, r.tools); ok {
		return r.tool(call)
	}
	if r.isGlobalMember(call.X, "Promise", "all") && !call.Optional &&
		len(call.Args.List) == 1 && !call.Args.List[0].Rest {
		if list, ok := call.Args.List[0].Value.(*js.ArrayExpr); ok {
			return r.together(list)
		}
	}
	r.call(call)
	return r.opaque()
}

// together evaluates Promise.all, which fails if one of its calls fails.
func (r *reader) together(list *js.ArrayExpr) value {
	calls := make([]*js.CallExpr, len(list.List))
	for i := range list.List {
		call, ok := list.List[i].Value.(*js.CallExpr)
		if ok = ok && !list.List[i].Spread; ok {
			_, ok = toolOf(call, r.tools)
		}
		if !ok {
			// Another element may stand for several, or fail before the other calls begin.
			return r.opaque()
		}
		calls[i] = call
	}
	v := value{kind: results}
	for _, call := range calls {
		v.items = append(v.items, r.tool(call))
	}
	return v
}

// tool records a call of a tool, if its arguments are spelled out, and returns its result.
func (r *reader) tool(call *js.CallExpr) value {
	name, _ := toolOf(call, r.tools)
	made := Call{Name: name}
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
	stringify := r.isGlobalMember(x.X, "JSON", "stringify")
	if method, ok := x.X.(*js.DotExpr); ok && !stringify {
		r.expression(method.X)
		if method.Optional {
			return r.opaque() // its arguments may not be evaluated
		}
	}
	args := make([]value, len(x.Args.List))
	for i := range x.Args.List {
		args[i] = r.expression(x.Args.List[i].Value)
		if x.Args.List[i].Rest {
			return r.opaque()
		}
	}
	if !stringify || len(args) == 0 || args[0].kind != result {
		return r.opaque()
	}
	for _, spelling := range args[1:] {
		if spelling.kind != scalar {
			return r.opaque()
		}
	}
	args[0].encoded = true
	return args[0]
}

// print records a text that is printed.
func (r *reader) print(x *js.CallExpr) value {
	if len(x.Args.List) != 1 || x.Args.List[0].Rest {
		return r.opaque()
	}
	v := r.expression(x.Args.List[0].Value)
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

// array evaluates an array.
func (r *reader) array(a *js.ArrayExpr) value {
	items, static := make([]value, 0, len(a.List)), true
	for i := range a.List {
		if a.List[i].Value == nil {
			static = false
			continue
		}
		v := r.expression(a.List[i].Value)
		static = static && v.static() && !a.List[i].Spread
		items = append(items, v)
	}
	if !static {
		return value{}
	}
	encoded := []byte{'['}
	for i := range items {
		if i > 0 {
			encoded = append(encoded, ',')
		}
		if encoded = items[i].append(encoded); len(encoded) > maxStatic {
			break // objectOf refuses it
		}
	}
	return r.objectOf(append(encoded, ']'))
}

// properties evaluates an object.
func (r *reader) properties(o *js.ObjectExpr) value {
	encoded := []byte{'{'}
	static, seen := true, map[string]bool{}
	for i := range o.List {
		p := &o.List[i]
		v := r.expression(p.Value)
		name, ok := "", false
		if p.Name != nil {
			name, ok = propertyName(p.Name)
		}
		if static = static && ok && !p.Spread && p.Init == nil && v.static() && !seen[name] &&
			name != "__proto__"; static {
			if len(seen) > 0 {
				encoded = append(encoded, ',')
			}
			seen[name] = true
			encoded = append(rawjson.AppendQuoted(encoded, name), ':')
			if encoded = v.append(encoded); len(encoded) > maxStatic {
				break // objectOf refuses it
			}
		}
	}
	if !static {
		return value{}
	}
	return r.objectOf(append(encoded, '}'))
}
