package shell

import "strings"

// editors are the programs that may change the files in their arguments, as formatters do, with the
// words of which they need one to do so, if they need one.
var editors = map[string]map[string]bool{
	"gofmt": set("-w"), "goimports": set("-w"), "gofumpt": set("-w"), "golines": set("-w"),
	"shfmt": set("-w"), "clang-format": set("-i"), "prettier": set("-w --write"),
	"biome": set("--write --fix"), "eslint": set("--fix"), "ruff": set("format --fix"),
	"autopep8": set("-i --in-place"), "yapf": set("-i --in-place"),
	"perl": set("-pi -i -0pi"), "black": nil, "isort": nil, "rustfmt": nil, "ed": nil, "ex": nil,
	"truncate": nil,
}

// unchanging are the options with which editors change nothing.
var unchanging = set("--check --check-only --diff --stdout")

// edit reads a program that may change the files in its arguments.
func edit(p *run) {
	needs := editors[p.name]
	changes := needs == nil
	for _, w := range p.args {
		changes = changes || needs[w.text]
		if unchanging[w.text] {
			return
		}
	}
	if !changes {
		return
	}
	for _, w := range p.args {
		if strings.HasPrefix(w.text, "-") || needs[w.text] {
			continue
		}
		if w.text == "." || w.text == "./" || w.text == "./..." {
			p.addAny()
			return
		}
		w.text = strings.TrimSuffix(w.text, "/...")
		w.glob = w.glob || strings.Contains(w.text, "*") // some programs expand patterns themselves
		p.add(Edited, w, Never)
	}
}

// editAll reads a program that, with some subcommands, changes files that it finds itself.
func editAll(p *run) {
	if len(p.args) > 0 && allFiles[p.args[0].text] {
		p.addAny()
	}
}

var allFiles = set("fmt generate fix")

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
