package shell

import "strings"

// git reads the subcommands that change files of the working tree.
func git(p *run) {
	for len(p.args) > 0 && strings.HasPrefix(p.args[0].text, "-") {
		option := p.args[0].text
		p.args = p.args[1:]
		if option != "-C" && option != "-c" && option != "--git-dir" && option != "--work-tree" {
			continue
		}
		if len(p.args) == 0 {
			return
		}
		if option == "-C" {
			before := p.where
			defer func() { p.where = before }()
			p.changeDirectory(p.args[:1])
		}
		p.args = p.args[1:]
	}
	if len(p.args) == 0 || !p.args[0].literal() {
		return
	}
	command := p.args[0].text
	p.args = p.args[1:]
	for i := range p.args { // git expands patterns itself, even in quotes
		p.args[i].glob = p.args[i].glob || strings.ContainsAny(p.args[i].text, "*?[")
	}
	if read := gitCommands[command]; read != nil {
		read(p)
	}
}

var gitCommands = map[string]func(p *run){
	"rm": func(p *run) {
		options, operands := p.options("")
		if !has(options, "--cached", "-n", "--dry-run") {
			p.each(Deleted, operands)
		}
	},
	"mv": func(p *run) {
		if options, _ := p.options(""); has(options, "-n", "-k", "--dry-run") {
			p.certain = Never
		}
		move(p)
	},
	"checkout": checkout,
	"restore": func(p *run) {
		options, operands := p.options("-s --source")
		if has(options, "-S", "--staged") && !has(options, "-W", "--worktree") {
			return
		}
		if has(options, "-p", "--patch") {
			p.certain = Never
		}
		p.restored(operands)
	},
	"stash": func(p *run) {
		if len(p.args) == 0 || !set("list show drop clear create store")[p.args[0].text] {
			p.addAny()
		}
	},
	"reset": func(p *run) {
		if options, _ := p.options(""); has(options, "--hard", "--merge", "--keep") {
			p.addAny()
		}
	},
	"clean": func(p *run) {
		if options, _ := p.options("-e"); !has(options, "-n", "--dry-run") {
			p.addAny()
		}
	},
	"switch": func(p *run) {
		options, operands := p.options("-c -C --create --force-create")
		if !has(options, "-c", "-C", "--create", "--force-create") || len(operands) > 0 {
			p.addAny()
		}
	},
	"apply": func(p *run) {
		options, _ := p.options("")
		if !has(options, "--check", "--stat", "--numstat", "--cached") {
			p.addAny()
		}
	},
	"merge": anyFile, "rebase": anyFile, "pull": anyFile, "revert": anyFile, "am": anyFile,
	"cherry-pick": anyFile, "bisect": anyFile, "submodule": anyFile,
}

// anyFile reads a program or a subcommand that may change any file.
func anyFile(p *run) { p.addAny() }

// checkout reads a subcommand whose operands are a branch, or files that may follow "--".
func checkout(p *run) {
	for i, w := range p.args {
		if w.text == "--" {
			p.restored(p.args[i+1:])
			return
		}
	}
	options, operands := p.options("-b -B --orphan")
	if has(options, "-b", "-B", "--orphan") && len(operands) == 0 {
		return // a new branch at the same commit
	}
	p.addAny() // a branch, or files: the command does not say which
}

// restored adds files that are restored to an earlier content.
func (p *run) restored(operands []word) {
	for _, w := range operands {
		if w.text == "." || w.text == "./" || strings.HasPrefix(w.text, ":") {
			p.addAny()
			continue
		}
		p.add(Restored, w, p.certain)
	}
}
