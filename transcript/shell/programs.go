package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a program with its arguments.
func (r *reader) call(c *syntax.CallExpr, certain Certainty) {
	p := run{reader: r, args: make([]word, 0, len(c.Args)), certain: certain}
	for _, arg := range c.Args {
		w := resolve(arg)
		if !w.ok && !w.quoted {
			p.certain = Never // it may be an option, or several words
		}
		p.args = append(p.args, w)
	}
	p.start()
}

// wrappers run the program that their arguments name, after options and settings of variables.
var wrappers = set("sudo builtin nohup nice time env npx bunx uvx stdbuf")

// start finds the program that wrappers run, and reads its arguments.
func (p *run) start() {
	for len(p.args) > 0 && p.args[0].literal() {
		folder, name := path.Split(p.args[0].text)
		if folder != "" && !strings.HasSuffix(folder, "bin/") {
			p.certain = Never // it may be another program with the same name
		}
		if p.name, p.args = name, p.args[1:]; !wrappers[name] {
			break
		}
		for len(p.args) > 0 && (strings.HasPrefix(p.args[0].text, "-") ||
			strings.Contains(p.args[0].text, "=")) {
			if strings.HasPrefix(p.args[0].text, "-") {
				p.certain = Never // the option may have an operand
			}
			p.args = p.args[1:]
		}
	}
	if read := programs[p.name]; read != nil {
		read(p)
	}
}

var programs map[string]func(p *run)

func init() {
	programs = map[string]func(p *run){
		"cd": func(p *run) { p.changeDirectory(p.args) }, "pushd": leave, "popd": leave,
		"rm": remove, "rmdir": remove, "unlink": remove,
		"mv": move, "cp": replicate, "tee": tee, "sed": sed, "gsed": sed, "git": git,
		"go": editAll, "cargo": editAll, "patch": anyFile,
	}
	for name := range editors {
		programs[name] = edit
	}
	for name := range interpreters {
		programs[name] = inline
	}
}

func leave(p *run) { p.changeDirectory(nil) }
