package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Command is what was read of a command.
type Command struct {
	// Changes are those that it makes to files, in order, as far as its text shows them.
	Changes []Change
	// Programs are all that it runs, in order. They are nil if it does anything else than run
	// programs with literal arguments, one after another or in pipes: if it has variables,
	// conditions, here-documents, or output that goes to a file.
	Programs []Program
	// Inline are the programs of other languages that it holds, as arguments or input of their
	// interpreters. Any quoted argument of one counts.
	Inline []string

	shows bool // it only runs commands of PowerShell that show something
}

// plain returns the programs of statements that do nothing else than run them.
func plain(list []*syntax.Stmt) (all []Program, ok bool) {
	for _, s := range list {
		part, ok := plainStatement(s, 0)
		if !ok || len(all)+len(part) > maxPrograms {
			return nil, false
		}
		all = append(all, part...)
	}
	return all, true
}

// maxPrograms is the most programs of a command that are listed.
const maxPrograms = 64

func plainStatement(s *syntax.Stmt, depth int) (all []Program, ok bool) {
	if s.Negated || s.Background || s.Coprocess || s.Disown || depth > maxPrograms {
		return nil, false
	}
	input, ok := plainRedirects(s.Redirs)
	if !ok {
		return nil, false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		p, ok := plainCall(c)
		p.Input = input
		return []Program{p}, ok
	case *syntax.BinaryCmd:
		first, ok := plainStatement(c.X, depth+1)
		if !ok || len(s.Redirs) > 0 {
			return nil, false
		}
		second, ok := plainStatement(c.Y, depth+1)
		if ok && (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) {
			second[0].Input = true
		}
		return append(first, second...), ok
	}
	return nil, false
}

func plainCall(c *syntax.CallExpr) (p Program, ok bool) {
	if len(c.Assigns) > 0 || len(c.Args) == 0 {
		return p, false
	}
	for i, arg := range c.Args {
		w := resolve(arg)
		switch {
		case !w.ok, i == 0 && w.glob:
			return p, false
		case i == 0:
			p.Name, p.Args = w.text, slices.Grow(p.Args, len(c.Args)-1)
		default:
			p.Args = append(p.Args, Argument{Text: w.text, Pattern: w.glob})
		}
	}
	return p, true
}

// plainRedirects reports whether redirections write to no file, and whether one reads from a file.
func plainRedirects(list []*syntax.Redirect) (input, ok bool) {
	for _, to := range list {
		if to.Hdoc != nil || to.Word == nil {
			return false, false
		}
		w := resolve(to.Word)
		switch _, out := outputs[to.Op]; {
		case !w.literal():
			return false, false
		case to.Op == syntax.RdrIn:
			input = true
		case to.Op == syntax.DplIn || to.Op == syntax.DplOut:
			if !isNumber(w.text) {
				return false, false
			}
		case !out || w.text != "/dev/null":
			return false, false
		}
	}
	return input, true
}

// OnlyReads reports whether a command runs only programs that are known to show something and to
// change nothing.
func (c *Command) OnlyReads() bool {
	for i := range c.Programs {
		if !c.Programs[i].onlyReads() {
			return false
		}
	}
	return len(c.Programs) > 0 || c.shows
}

// filePrograms only change files or the working directory: if they fail, they do not do so because
// of what they find, as a search or a test does.
var filePrograms = set("cd mkdir rm rmdir unlink mv cp ln touch chmod")

// onlyFiles reports whether a statement only runs such programs, joined by &&. It then fails as one
// of them alone would.
func onlyFiles(s *syntax.Stmt, depth int) bool {
	if s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 ||
		depth > maxPrograms {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		p, ok := plainCall(c)
		return ok && p.onlyFiles()
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt && onlyFiles(c.X, depth+1) && onlyFiles(c.Y, depth+1)
	}
	return false
}

func (p *Program) onlyFiles() bool {
	switch p.Name {
	case "sed", "gsed":
		return p.option("efls", "-i", "--in-place")
	case "git":
		return len(p.Args) > 0 && set("mv rm add")[p.Args[0].Text]
	}
	return filePrograms[p.Name]
}
