// Package script reads which tools a JavaScript program calls. Some agents give their model one
// tool that runs programs, in which every other tool is a method of the object `tools`: `await
// tools.exec_command({cmd: "ls"})`.
//
// It parses programs and never runs them. It reports only what follows from their structure: calls
// that are awaited at the top level of a program, with arguments that are spelled out. They are
// made exactly once whenever the program reaches its end, and it does not reach its end if one of
// them fails. It never guesses what a condition, a loop or a function does.
package script

import (
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// init lowers the parser's limits, which are 1,000. The parser looks up each name in all blocks
// around it, so its time grows with their depth: 250 KB of names within 990 blocks took half a
// minute.
func init() { js.NestedStmtLimit, js.NestedExprLimit = 12, 24 }

// The names that programs can use in addition to the built-in ones.
const (
	toolsName = "tools" // the object whose methods are the tools
	textName  = "text"  // the function that prints
)

// otherOutput are functions that put something other than a text into the result, or a text at
// another place.
var otherOutput = []string{"image", "audio", "generatedImage", "notify", "yield_control"}

// unreadable are names by which a program can call a tool or end in ways that its structure does
// not show.
var unreadable = []string{"exit", "eval", "Function", "globalThis"}

// Read reads a program. ok is false if the text is not a JavaScript module, calls no tool, or uses
// `tools` in any other way than by calling its methods.
func Read(source string) (p Program, ok bool) {
	if len(source) > maxSource || !strings.Contains(source, toolsName) {
		return Program{}, false
	}
	defer func() {
		if recover() != nil { // a panic of the parser must not fail a request
			p, ok = Program{}, false
		}
	}()
	tree, err := js.Parse(parse.NewInputString(source), js.Options{})
	if err != nil || tree.HasWith {
		return Program{}, false
	}
	r := reader{known: map[*js.Var]value{}}
	for _, v := range tree.Undeclared {
		if v.Decl == js.NoDecl && v.Uses > 0 {
			r.global(v)
		}
	}
	if r.tools == nil || r.refused {
		return Program{}, false
	}
	inside := mentions{tools: r.tools}
	js.Walk(&inside, tree)
	if inside.calls != int(r.tools.Uses) || inside.imports {
		return Program{}, false
	}
	r.plain = true
	for _, s := range tree.List {
		r.statement(s)
	}
	if r.refused || inside.calls == 0 {
		return Program{}, false
	}
	p = Program{Calls: r.calls, Complete: len(r.calls) == inside.calls, Plain: r.plain}
	p.Printed = !r.otherOutput && !inside.changes &&
		(r.text == nil || r.printed == int(r.text.Uses))
	if p.Printed {
		p.Prints = r.prints
	}
	if !p.Complete {
		p.Texts = inside.texts
	}
	return p, true
}

// global records a name that the program does not declare.
func (r *reader) global(v *js.Var) {
	name := string(v.Data)
	switch {
	case name == toolsName:
		r.tools = v
	case name == textName:
		r.text = v
	case slices.Contains(unreadable, name), strings.Contains(name, `\`):
		r.refused = true
	case slices.Contains(otherOutput, name):
		r.otherOutput = true
	}
}

// mentions counts the calls of tools anywhere in a program, and records constructs that limit what
// can be read.
type mentions struct {
	tools   *js.Var
	calls   int
	imports bool
	changes bool // the program may change values after their declaration
	texts   []string
}

func (m *mentions) Enter(n js.INode) js.IVisitor {
	switch n := n.(type) {
	case *js.ImportStmt, *js.ExportStmt:
		m.imports = true
	case *js.CallExpr:
		if _, ok := toolOf(n, m.tools); ok {
			m.calls++
		}
		if dot, ok := n.X.(*js.DotExpr); ok {
			name, _ := memberName(dot)
			m.changes = m.changes || slices.Contains(changers, name)
		}
	case *js.BinaryExpr:
		m.changes = m.changes || assigns[n.Op]
	case *js.UnaryExpr:
		m.changes = m.changes || changesOperand[n.Op]
	case *js.LiteralExpr:
		m.imports = m.imports || n.TokenType == js.ImportToken
		if n.TokenType == js.StringToken {
			if text, ok := unquote(n.Data); ok {
				m.texts = append(m.texts, text)
			}
		}
	case *js.TemplateExpr:
		m.texts = append(m.texts, spelled(n))
	}
	return m
}

// spelled returns the text of a template, with "$_" in place of each expression.
func spelled(t *js.TemplateExpr) string {
	var b strings.Builder
	piece := func(body []byte, after int) {
		s := string(body[1 : len(body)-after])
		if plain, ok := cooked(s); ok && t.Tag == nil {
			s = plain
		}
		b.WriteString(s)
	}
	for i := range t.List {
		piece(t.List[i].Value, len("${"))
		b.WriteString("$_")
	}
	piece(t.Tail, 1)
	return b.String()
}

// changers are methods that change their receiver or an argument.
var changers = []string{"copyWithin", "fill", "pop", "push", "reverse", "shift", "sort", "splice",
	"unshift", "assign", "defineProperty", "defineProperties", "set"}

// The operators that change an operand.
var (
	assigns = map[js.TokenType]bool{js.EqToken: true, js.AddEqToken: true, js.SubEqToken: true,
		js.MulEqToken: true, js.DivEqToken: true, js.ModEqToken: true, js.ExpEqToken: true,
		js.LtLtEqToken: true, js.GtGtEqToken: true, js.GtGtGtEqToken: true,
		js.BitAndEqToken: true, js.BitOrEqToken: true, js.BitXorEqToken: true,
		js.AndEqToken: true, js.OrEqToken: true, js.NullishEqToken: true}
	changesOperand = map[js.TokenType]bool{js.DeleteToken: true, js.PreIncrToken: true,
		js.PreDecrToken: true, js.PostIncrToken: true, js.PostDecrToken: true}
)

func (m *mentions) Exit(js.INode) {}
