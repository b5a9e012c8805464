package script

import (
	"bytes"

	"github.com/tdewolff/parse/v2/js"
)

// toolOf returns the name of the tool that a call calls: `tools.NAME(…)`.
func toolOf(call *js.CallExpr, tools *js.Var) (name string, ok bool) {
	dot, ok := call.X.(*js.DotExpr)
	if !ok || call.Optional || dot.Optional || !isVar(dot.X, tools) {
		return "", false
	}
	return memberName(dot)
}

// memberName returns the name after a dot.
func memberName(dot *js.DotExpr) (string, bool) {
	name, ok := dot.Y.(js.LiteralExpr)
	if !ok || !js.IsIdentifierName(name.TokenType) || bytes.Contains(name.Data, []byte(`\`)) {
		return "", false
	}
	return string(name.Data), true
}

// isVar reports whether an expression is the variable v.
func isVar(x js.IExpr, v *js.Var) bool {
	of, ok := x.(*js.Var)
	return ok && v != nil && declared(of) == v
}

// declared returns the declared variable that a mention in an inner scope refers to.
func declared(v *js.Var) *js.Var {
	for v.Link != nil {
		v = v.Link
	}
	return v
}
