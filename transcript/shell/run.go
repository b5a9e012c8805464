package shell

import "strings"

// run is a program that a command runs.
type run struct {
	*reader
	name    string
	args    []word
	certain Certainty
}

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
