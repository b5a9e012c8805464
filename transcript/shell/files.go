package shell

import (
	"path"
	"strings"
)

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
