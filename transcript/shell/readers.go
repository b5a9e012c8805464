package shell

import (
	"regexp"
	"slices"
	"strings"
)

// readers are the programs that show something and change nothing, whatever their arguments, or if
// their function says so.
var readers map[string]func(p *Program) bool

func init() {
	always := func(*Program) bool { return true }
	readers = map[string]func(p *Program) bool{
		"awk": awkReads, "date": dateReads, "find": findReads, "gh": ghReads, "git": gitReads,
		"go": goReads, "sed": sedReads,

		"fd":   without("", "-x", "-X", "--exec", "--exec-batch"),
		"file": without("", "-C", "--compile"),
		"journalctl": without("nupgtNSU", "--vacuum-size", "--vacuum-time", "--vacuum-files",
			"--rotate", "--flush", "--update-catalog", "--setup-keys", "--cursor-file"),
		"less": without("", "-o", "-O", "--log-file", "--LOG-FILE"),
		"rg":   without("", "--pre", "--hostname-bin"),
		"sort": without("kStT", "-o", "--output", "--compress-program"),
		"tree": without("LPIH", "-o"),
		"yq":   without("", "-i", "--inplace", "--in-place"),
		"uniq": func(p *Program) bool { return len(p.operands("-f", "-s", "-w")) < 2 },
		"xxd":  func(p *Program) bool { return len(p.operands("-s", "-l", "-c", "-g")) < 2 },
	}
	for name := range set("bat cat head tail more nl wc stat du df ls pwd which whoami type echo " +
		"printf printenv grep egrep fgrep ag locate cut tr column jq diff cmp comm basename " +
		"dirname realpath readlink strings hexdump od true cd tac rev id ps free uptime uname " +
		"lsof sha1sum sha256sum sha512sum md5sum shasum b2sum cksum") {
		readers[name] = always
	}
	for name, o := range operators {
		readers[name] = o.onlyReads
	}
}

// onlyReads reports whether a program is known to show something and to change nothing.
func (p *Program) onlyReads() bool {
	reads := readers[p.Name]
	return reads != nil && reads(p)
}

// without returns a function that reports whether a program has none of some options; see
// [Program.option].
func without(valued string, names ...string) func(p *Program) bool {
	return func(p *Program) bool { return !p.option(valued, names...) }
}

// subcommand returns the first operand and the arguments after it.
func (p *Program) subcommand() (name string, rest Program) {
	for i, a := range p.Args {
		if !strings.HasPrefix(a.Text, "-") {
			return a.Text, Program{Name: a.Text, Args: p.Args[i+1:]}
		}
	}
	return "", Program{}
}

// gitReaders are the subcommands that change nothing if they have no option that writes.
var gitReaders = set("log diff show status blame grep ls-files ls-tree rev-parse describe " +
	"shortlog cat-file")

// gitReads reads the subcommand, after options such as -C.
func gitReads(p *Program) bool {
	for len(p.Args) > 0 && strings.HasPrefix(p.Args[0].Text, "-") {
		skip := 1
		switch p.Args[0].Text {
		case "-C", "--git-dir", "--work-tree":
			skip = 2
		case "--no-pager", "--no-optional-locks":
		default:
			return false // -c may set a program that is run
		}
		p = &Program{Name: p.Name, Args: p.Args[min(skip, len(p.Args)):]}
	}
	name, rest := p.subcommand()
	operands := rest.operands("--format", "--sort", "--contains", "--no-contains", "--merged",
		"--no-merged", "--points-at")
	switch {
	case gitReaders[name]:
		return !rest.option("", "--output", "--open-files-in-pager") &&
			(name != "grep" || !rest.option("efmABC", "-O"))
	case name == "branch":
		return (len(operands) == 0 || rest.option("", "-l", "--list")) &&
			!rest.option("", "-d", "-D", "-m", "-M", "-c", "-C", "-u", "-f", "--delete", "--move",
				"--copy", "--force", "--set-upstream-to", "--unset-upstream", "--edit-description",
				"--track")
	case name == "remote":
		return len(operands) == 0 || operands[0] == "show" || operands[0] == "get-url"
	case name == "reflog":
		return len(operands) == 0 || operands[0] == "show"
	case name == "stash":
		return len(operands) > 0 && (operands[0] == "list" || operands[0] == "show")
	}
	return false
}

func goReads(p *Program) bool {
	switch name, rest := p.subcommand(); name {
	case "doc", "version":
		return true
	case "env":
		return !rest.option("", "-w", "-u")
	case "list":
		return !slices.ContainsFunc(rest.Args, func(a Argument) bool {
			return strings.HasPrefix(strings.TrimLeft(a.Text, "-"), "mod=mod") // writes go.mod
		})
	}
	return false
}

// ghReads reads the second operand, as of "gh pr view 3".
func ghReads(p *Program) bool {
	operands := p.operands("-R", "--repo")
	return len(operands) > 1 && set("view list status diff checks")[operands[1]]
}

// dateReads reads operands: all but a format set the clock.
func dateReads(p *Program) bool {
	return !p.option("drfI", "-s", "--set") &&
		!slices.ContainsFunc(p.operands("-d", "-r", "-f"), func(a string) bool {
			return !strings.HasPrefix(a, "+")
		})
}

var findChangers = set("-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls")

func findReads(p *Program) bool {
	return !slices.ContainsFunc(p.Args, func(a Argument) bool { return findChangers[a.Text] })
}

// awkReads reports whether a program of awk has neither files nor other programs to write to.
func awkReads(p *Program) bool {
	operands := p.operands("-F", "-v")
	return len(operands) > 0 && !strings.ContainsAny(operands[0], "|>@") &&
		!strings.Contains(operands[0], "system") &&
		!p.option("Fv", "-e", "-f", "-i", "-l", "-E", "--source", "--file", "--include", "--load",
			"--exec")
}

// sedReads reports whether scripts of sed only print, delete or replace lines on their way.
func sedReads(p *Program) bool {
	if p.option("efl", "-i", "--in-place") || p.option("el", "-f", "--file") {
		return false
	}
	scripts := p.sedScripts()
	return len(scripts) > 0 &&
		!slices.ContainsFunc(scripts, func(script string) bool { return !harmlessSed(script) })
}

// sedScripts returns the scripts of a program of sed, nil if they are not known.
func (p *Program) sedScripts() (scripts []string) {
	for i := 0; i < len(p.Args); i++ {
		a := p.Args[i].Text
		cluster := len(a) > 1 && a[0] == '-' && a[1] != '-'
		switch at := strings.IndexByte(a, 'e'); {
		case strings.HasPrefix(a, "--expression="):
			scripts = append(scripts, strings.TrimPrefix(a, "--expression="))
		case a == "--expression" || cluster && at == len(a)-1:
			if i++; i == len(p.Args) {
				return nil
			}
			scripts = append(scripts, p.Args[i].Text)
		case cluster && at > 0:
			scripts = append(scripts, a[at+1:])
		}
	}
	if operands := p.operands("-l", "--line-length"); scripts == nil && len(operands) > 0 {
		scripts = operands[:1]
	}
	return scripts
}

// sedWhere is where a command of sed applies: addresses of lines.
var sedWhere = func() *regexp.Regexp {
	const address = `(?:\d+|\$|/(?:[^/\\]|\\.)*/I?)(?:~\d+)?`
	return regexp.MustCompile(`^(?:` + address + `(?:,\s*\+?` + address + `)?)?\s*!?\s*`)
}()

// harmlessSed reports whether a script certainly neither writes a file nor runs a program.
func harmlessSed(script string) bool {
	const digits = " 0123456789"
	for {
		if script = strings.TrimLeft(script, " \t\n;"); script == "" {
			return true
		}
		script = script[len(sedWhere.FindString(script)):]
		switch {
		case script == "":
			return false
		case strings.IndexByte("pdqnNP=", script[0]) >= 0:
			script = strings.TrimLeft(script[1:], digits)
		case script[0] == 's':
			rest, ok := afterReplacement(script[1:])
			if !ok {
				return false
			}
			script = strings.TrimLeft(rest, "gpiIM"+digits)
		default:
			return false
		}
		if script != "" && script[0] != ';' && script[0] != '\n' {
			return false
		}
	}
}

// afterReplacement returns what follows the parts of a command "s": "/expression/replacement/".
func afterReplacement(s string) (rest string, ok bool) {
	if s == "" || s[0] >= 0x80 || s[0] == '\\' || s[0] == '\n' {
		return "", false
	}
	ends := 0
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			if ends++; ends == 2 {
				return s[i+1:], true
			}
		}
	}
	return "", false
}
