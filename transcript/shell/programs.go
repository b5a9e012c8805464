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
	redirs  []*syntax.Redirect
	inner   bool // another program runs it, with file names as arguments
}

// call reads a program with its arguments. It also reads the redirections of programs that print
// their input, since that input is then the new content of a file.
func (r *reader) call(c *syntax.CallExpr, redirs []*syntax.Redirect, certain Certainty) {
	words, sure := r.words(c.Args)
	if !sure {
		certain = Never
	}
	for _, w := range words {
		if w.ok && w.suffix && w.text == "" && !w.quoted {
			certain = Never // the word may be an option, or several words
		}
	}
	p := run{reader: r, args: words, certain: certain, redirs: redirs}
	p.start()
}

// wrappers run the program that their arguments name. The value is the number of operands before
// its name.
var wrappers = map[string]int{"sudo": 0, "command": 0, "builtin": 0, "nohup": 0, "nice": 0,
	"time": 0, "env": 0, "timeout": 1, "npx": 0, "bunx": 0, "uvx": 0, "stdbuf": 0}

// start finds the program that wrappers run, and reads its arguments.
func (p *run) start() {
	for len(p.args) > 0 {
		if !p.args[0].literal() {
			return
		}
		folder, name := path.Split(p.args[0].text)
		if folder != "" && !strings.HasSuffix(folder, "bin/") {
			p.certain = Never // it may be another program with the same name
		}
		p.name, p.args = name, p.args[1:]
		operands, wraps := wrappers[p.name]
		if !wraps {
			break
		}
		for len(p.args) > 0 && (strings.HasPrefix(p.args[0].text, "-") ||
			strings.Contains(p.args[0].text, "=") || operands > 0) {
			if p.name == "command" {
				return // "command -v" runs nothing
			}
			if strings.HasPrefix(p.args[0].text, "-") {
				p.certain = Never // the option may have an operand
			} else if !strings.Contains(p.args[0].text, "=") {
				operands--
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
		"mv": move, "cp": replicate, "install": replicate, "ln": replicate, "rsync": replicate,
		"tee": tee, "cat": cat, "truncate": truncate, "dd": dd, "patch": patch,
		"sed": sed, "gsed": sed, "perl": perl, "git": git, "xargs": xargs, "find": find,
		"bash": shell, "sh": shell, "zsh": shell, "dash": shell,
		"ed": mayEdit, "ex": mayEdit, "vim": mayEdit, "vi": mayEdit, "nano": mayEdit,
		"dos2unix": mayEdit, "black": edit, "isort": edit, "rustfmt": edit,
		"autopep8": editWith("-i", "--in-place"), "yapf": editWith("-i", "--in-place"),
		"python": interpret, "python3": interpret, "node": interpret, "ruby": interpret,
		"go": editsAnyWith("fmt", "generate", "fix"), "cargo": editsAnyWith("fmt", "fix"),
		"ruff": edit, "eslint": editWith("--fix"),
		"gofmt": editWith("-w"), "goimports": editWith("-w"), "gofumpt": editWith("-w"),
		"golines": editWith("-w"), "shfmt": editWith("-w"), "clang-format": editWith("-i"),
		"prettier": editWith("-w", "--write"), "biome": editWith("--write", "--fix"),
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
		p.add(kind, w.path(), p.certain)
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
	options, operands := p.options("-t --target-directory -S --suffix -m --mode -o -g --exclude " +
		"--include -e")
	if has(options, "-t", "--target-directory") || len(operands) < 2 {
		if moves {
			p.certain = Never
			p.each(MovedFrom, operands)
		}
		return
	}
	if p.name == "install" && has(options, "-d", "--directory") {
		return // it makes folders
	}
	if has(options, "-i", "-n", "-u", "--interactive", "--no-clobber", "--update", "--dry-run",
		"--parents") ||
		p.name == "rsync" || p.name == "ln" {
		p.certain = Never
	}
	to, from := operands[len(operands)-1], operands[:len(operands)-1]
	kind := CopiedTo
	if moves {
		kind = MovedTo
		p.each(MovedFrom, from)
	}
	target := to.path()
	if len(from) == 1 && !strings.HasSuffix(to.text, "/") {
		if hasExtension(to.text) {
			p.add(kind, target, p.certain)
			return
		}
		p.certain = Never // the target may be a folder
		p.add(kind, target, Never)
	}
	if len(from) == 1 && !hasExtension(from[0].text) {
		p.certain = Never // a folder may be renamed, or moved into the target
	}
	for _, w := range from { // into a folder
		name := path.Base(w.path().text)
		if !w.ok || name == "." || name == ".." || !target.ok {
			continue
		}
		into := target
		into.text = path.Join(to.text, name)
		into.glob, into.variable = into.glob || w.glob, into.variable || w.variable
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
	c := Change{Kind: Written, Certain: p.certain}
	if has(options, "-a", "--append") {
		c.Kind = Appended
	}
	c.Text, _, c.Known = p.input(p.redirs)
	for _, w := range operands {
		p.addChange(c, w.path())
	}
}

// cat reads a program that prints its input.
func cat(p *run) {
	if len(p.args) > 1 || len(p.args) == 1 && p.args[0].text != "-" {
		return
	}
	if text, rest, ok := p.input(p.redirs); ok {
		p.printed(text, rest)
	}
}

// printed adds the changes by redirections of a program that prints text.
func (p *run) printed(text string, redirs []*syntax.Redirect) {
	p.written = map[*syntax.Redirect]bool{}
	p.redirects(redirs, p.certain, &text)
	for _, to := range redirs {
		p.written[to] = true
	}
}

func truncate(p *run) {
	options, operands := p.options("-s --size -r --reference")
	if has(options, "-c", "--no-create") {
		p.certain = Never
	}
	p.each(Written, operands)
}

func dd(p *run) {
	for _, w := range p.args {
		if to, ok := strings.CutPrefix(w.text, "of="); ok && w.literal() {
			w.text = to
			p.add(Written, w, Never)
		}
	}
}

// patch reads a program whose input is a patch. The headers of the patch name its files.
func patch(p *run) {
	options, operands := p.options("-p -i -d -o -r -D -F")
	if has(options, "--dry-run") {
		return
	}
	p.certain = Never // parts of the patch may not apply
	if len(operands) > 0 {
		p.each(Edited, operands[:1])
		return
	}
	p.patched(p.redirs)
}

// patched adds the files that a patch in a here-document names, or any file if there is none.
func (p *run) patched(redirs []*syntax.Redirect) {
	text, _, ok := p.input(redirs)
	if !ok {
		p.addAny()
		return
	}
	for line := range strings.Lines(text) {
		for _, head := range []string{"--- ", "+++ "} {
			if name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), head); ok {
				name, _, _ = strings.Cut(name, "\t")
				name = strings.TrimPrefix(strings.TrimPrefix(name, "a/"), "b/")
				p.add(Edited, word{text: name, ok: true}, Never)
			}
		}
	}
}

// shell reads a shell, and the command that it runs.
func shell(p *run) {
	for i, w := range p.args {
		short := strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--")
		if short && strings.Contains(w.text, "n") {
			return // the command is only parsed
		}
		if short && strings.HasSuffix(w.text, "c") && i+1 < len(p.args) {
			if p.args[i+1].literal() {
				p.nest(p.args[i+1].text)
			}
			return
		}
		if !strings.HasPrefix(w.text, "-") {
			return
		}
	}
	if text, _, ok := p.input(p.redirs); ok {
		p.nest(text)
	}
}

// nest reads a command that another shell runs.
func (p *run) nest(command string) {
	for _, c := range read(command, p.certain, p.shells+1) {
		if p.where.unsure && relative(c.Path) {
			c.Certain = Never
		}
		if c.Path != "" {
			c.Path = p.pathOf(word{text: c.Path})
		}
		p.changes = append(p.changes, c)
	}
}
