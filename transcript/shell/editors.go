package shell

import (
	"regexp"
	"slices"
	"strings"
)

// edit reads a program that changes the files in its arguments.
func edit(p *run) {
	options, operands := p.options("-c --config -l --line-length --target-version --edition")
	if has(options, "--check", "--check-only", "--diff", "--stdout") ||
		p.name == "isort" && has(options, "-c", "-d") || p.name == "ruff" && (len(operands) == 0 ||
		operands[0].text != "format" && !has(options, "--fix")) {
		return
	}
	if p.name == "ruff" {
		operands = operands[1:]
	}
	p.edited(operands)
}

// mayEdit reads a program that changes its files only if the commands given to it do.
func mayEdit(p *run) {
	p.certain = Never
	edit(p)
}

// editWith reads a program that changes files only with one of some options.
func editWith(names ...string) func(p *run) {
	return func(p *run) {
		options, operands := p.options("-m -t -r -d -local -style --config --parser --style " +
			"--ext --ignore-path")
		for _, name := range names {
			if slices.ContainsFunc(options, func(o word) bool { return o.text == name }) {
				p.edited(operands)
				return
			}
		}
	}
}

// edited adds files that a program changes in place.
func (p *run) edited(operands []word) {
	if len(operands) == 0 && p.name == "ruff" { // all files in the folder
		p.addAny()
	}
	for _, w := range operands {
		if w = w.path(); w.text == "." || w.text == "./..." || w.text == "./" {
			p.addAny()
			continue
		}
		w.text = strings.TrimSuffix(w.text, "/...")
		w.glob = w.glob || strings.Contains(w.text, "*") // some programs expand patterns themselves
		p.add(Edited, w, p.certain)
	}
}

// editsAnyWith reads a program that, with some subcommands, changes files that it finds itself.
func editsAnyWith(commands ...string) func(p *run) {
	return func(p *run) {
		if _, operands := p.options(""); len(operands) > 0 &&
			slices.Contains(commands, operands[0].text) {
			p.addAny()
		}
	}
}

func sed(p *run) {
	inPlace, script := false, false
	var operands []word
	for i := 0; i < len(p.args); i++ {
		w := p.args[i]
		cluster := strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--")
		switch {
		case !w.ok || !strings.HasPrefix(w.text, "-") || len(w.text) < 2:
			operands = append(operands, w)
		case w.text == "--expression" || w.text == "--file":
			script = true
			i++
		case strings.HasPrefix(w.text, "--expression=") || strings.HasPrefix(w.text, "--file="):
			script = true
		case strings.HasPrefix(w.text, "--in-place"):
			inPlace = true
		case cluster:
			switch at := strings.IndexAny(w.text, "ief"); { // the rest is the option's value
			case at < 0:
			case w.text[at] == 'i':
				inPlace = true
				if i+1 < len(p.args) && p.args[i+1].text == "" && p.args[i+1].quoted {
					i++ // the suffix that sed of BSD and macOS requires
				}
			default:
				script = true
				if at == len(w.text)-1 {
					i++
				}
			}
		}
	}
	if !inPlace {
		return
	}
	if !script && len(operands) > 0 {
		if suffix := operands[0].text; strings.HasPrefix(suffix, ".") && len(operands) > 1 {
			p.certain = Never // for BSD sed the next argument is the script
			operands = operands[1:]
		}
		operands = operands[1:]
	}
	p.each(Edited, operands)
}

func perl(p *run) {
	inPlace, inline := false, false
	var operands []word
	for i := 0; i < len(p.args); i++ {
		w := p.args[i]
		if !strings.HasPrefix(w.text, "-") || len(operands) > 0 {
			operands = append(operands, w)
			continue
		}
		at := strings.IndexAny(w.text, "ieEmMIFCDdVx") // the rest is the option's value
		switch {
		case at < 0:
		case w.text[at] == 'i':
			inPlace = true
		case w.text[at] == 'e' || w.text[at] == 'E':
			inline = true
			fallthrough
		case w.text[at] == 'I':
			if at == len(w.text)-1 {
				i++
			}
		}
	}
	if !inPlace {
		interpret(p)
		return
	}
	if !inline && len(operands) > 0 { // the first operand is the script
		operands = operands[1:]
	}
	p.each(Edited, operands)
}

// stringLiteral matches a string in a script that is short enough to name a file.
var stringLiteral = regexp.MustCompile(`"([^"\n\\]{1,200})"|'([^'\n\\]{1,200})'`)

// interpret reads an interpreter of another language. A script in the command may change the files
// that are named in its strings.
func interpret(p *run) {
	code, _, ok := p.input(p.redirs)
	for i, w := range p.args {
		if w.ok && i > 0 && (p.args[i-1].text == "-c" || p.args[i-1].text == "-e") {
			code, ok = w.text, true
		}
	}
	if !ok {
		return
	}
	for _, found := range stringLiteral.FindAllStringSubmatch(code, maxChanges) {
		if name := found[1] + found[2]; hasExtension(name) &&
			!strings.ContainsAny(name, " *?[(%{$<>|,;:") {
			p.add(Edited, word{text: name, ok: true}, Never)
		}
	}
}

// xargs reads a program that runs another one with file names from its input, which are not known.
func xargs(p *run) {
	for i, w := range p.args {
		if w.ok && programs[w.text] != nil && w.text != "cat" {
			if p.changesWith(p.args[i:]) {
				p.addAny()
			}
			return
		}
	}
}

// changesWith reports whether a command with a file name as its last argument changes files.
func (p *run) changesWith(words []word) bool {
	if p.inner {
		return true // deeper nesting is not read
	}
	inner := run{reader: &reader{shells: p.shells + 1}, inner: true, certain: Never,
		args: append(slices.Clone(words), word{text: "names", ok: true})}
	inner.start()
	return len(inner.changes) > 0
}

// maxExec limits the -exec actions of one find that are read.
const maxExec = 8

// find reads a program that deletes the files that it finds, or runs another program with them.
func find(p *run) {
	var roots []word
	for _, w := range p.args {
		if strings.HasPrefix(w.text, "-") || w.text == "(" || w.text == "!" {
			break
		}
		roots = append(roots, w)
	}
	actions := 0
	for i, w := range p.args {
		kind := Edited
		switch w.text {
		case "-delete":
			kind = Deleted
		case "-exec", "-execdir", "-ok":
			if actions++; actions <= maxExec && !p.changesWith(p.args[i+1:]) {
				continue
			}
		default:
			continue
		}
		for _, root := range roots {
			if root.text == "." || root.text == "./" {
				p.addAny()
				continue
			}
			p.add(kind, root.path(), Never)
		}
		return
	}
}
