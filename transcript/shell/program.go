package shell

import "strings"

// Program is a program that a command runs.
type Program struct {
	Name string
	Args []Argument
	// Input is set if it is given the output of the program before it, or a file by a redirection.
	Input bool
}

// Argument is a word of a command.
type Argument struct {
	Text    string // without quotes
	Pattern bool   // it stands for the files whose names match
}

// operands returns the arguments that are no options. The next argument is the value of an option
// in valued.
func (p *Program) operands(valued ...string) (operands []string) {
	for i := 0; i < len(p.Args); i++ {
		a := p.Args[i].Text
		if a == "--" {
			for _, rest := range p.Args[i+1:] {
				operands = append(operands, rest.Text)
			}
			break
		}
		if len(a) < 2 || a[0] != '-' {
			operands = append(operands, a)
			continue
		}
		for _, option := range valued {
			if a == option {
				i++
			}
		}
	}
	return operands
}

// option reports whether one of the arguments is one of these options, or may be an abbreviation of
// it, or a cluster of short options with its letter. In a cluster, what follows a letter of valued
// is its value.
func (p *Program) option(valued string, names ...string) bool {
	for _, arg := range p.Args {
		a := arg.Text
		if a == "--" {
			return false
		}
		for _, name := range names {
			switch {
			case strings.HasPrefix(name, "--"):
				given, _, _ := strings.Cut(a, "=")
				if len(given) > 2 && strings.HasPrefix(name, given) {
					return true
				}
			case len(a) > 1 && a[0] == '-' && a[1] != '-':
				at := strings.IndexAny(a[1:], name[1:]+valued)
				if at >= 0 && a[1+at] == name[1] {
					return true
				}
			}
		}
	}
	return false
}
