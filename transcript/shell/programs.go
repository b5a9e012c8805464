package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// run is a program that a command runs.
type run struct {
	*reader
	name    string
	args    []word
	certain Certainty
}

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

// options splits the arguments into options and operands. The next argument is the value of an
// option in valued.
func (p *run) options(valued string) (options, operands []word) {
	takes := set(valued)
	for i := 0; i < len(p.args); i++ {
		switch w := p.args[i]; {
		case w.text == "--" && !w.quoted:
			return options, append(operands, p.args[i+1:]...)
		case strings.HasPrefix(w.text, "-") && len(w.text) > 1 && w.literal():
			options = append(options, w)
			if takes[w.text] {
				i++
			}
		default:
			operands = append(operands, w)
		}
	}
	return options, operands
}

// has reports whether one of the names is among the options, or is a letter of a cluster such as
// "-rf".
func has(options []word, names ...string) bool {
	for _, o := range options {
		for _, name := range names {
			if o.text == name || len(name) == 2 && !strings.HasPrefix(o.text, "--") &&
				strings.Contains(o.text, name[1:]) || strings.HasPrefix(o.text, name+"=") {
				return true
			}
		}
	}
	return false
}

// each adds a change of each operand.
func (p *run) each(kind Kind, operands []word) {
	for _, w := range operands {
		p.add(kind, w, p.certain)
	}
}

func remove(p *run) {
	options, operands := p.options("")
	if has(options, "-i", "-I", "--interactive", "--ignore-fail-on-non-empty") {
		p.certain = Never
	}
	p.each(Deleted, operands)
}

func move(p *run) { p.transfer(true) }

func replicate(p *run) { p.transfer(false) }

// transfer reads a program that moves or copies files to the last of its operands.
func (p *run) transfer(moves bool) {
	options, operands := p.options("-t --target-directory -S --suffix")
	if has(options, "-t", "--target-directory") || len(operands) < 2 {
		if moves {
			p.certain = Never
			p.each(MovedFrom, operands)
		}
		return
	}
	if has(options, "-i", "-n", "-u", "--interactive", "--no-clobber", "--update", "--dry-run",
		"--parents") {
		p.certain = Never
	}
	to, from := operands[len(operands)-1], operands[:len(operands)-1]
	kind := CopiedTo
	if moves {
		kind = MovedTo
		p.each(MovedFrom, from)
	}
	if len(from) == 1 && !strings.HasSuffix(to.text, "/") {
		if hasExtension(to.text) {
			p.add(kind, to, p.certain)
			return
		}
		p.certain = Never // the target may be a folder
		p.add(kind, to, Never)
	}
	if len(from) == 1 && !hasExtension(from[0].text) {
		p.certain = Never // a folder may be renamed, or moved into the target
	}
	if len(to.text) > maxPath {
		p.addAny()
		return
	}
	for _, w := range from { // into a folder
		name := path.Base(w.text)
		if !w.ok || name == "." || name == ".." || !to.ok {
			continue
		}
		into := to
		into.text, into.glob = path.Join(to.text, name), to.glob || w.glob
		p.add(kind, into, p.certain)
	}
}

// hasExtension reports whether a path ends in a name with an extension, as paths of folders rarely
// do.
func hasExtension(file string) bool {
	base := path.Base(file)
	return strings.LastIndexByte(base, '.') > 0 && base != ".."
}

func tee(p *run) {
	options, operands := p.options("")
	kind := Written
	if has(options, "-a", "--append") {
		kind = Appended
	}
	p.each(kind, operands)
}
