package conversation

import (
	"iter"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// CommandWords returns the words of the call's command.
func (c *Call) CommandWords() []string {
	return strings.FieldsFunc(c.Command(), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;|&<>()'\"`", r)
	})
}

// The programs that only show something, as far as their first words say, and what else a command
// may do.
var (
	quotedText = regexp.MustCompile(`'[^']*'|"(?:[^"\\]|\\.)*"|\\.`)
	onlyQuoted = regexp.MustCompile(`'[^']*'|"(?:[^"\\]|\\.)*"`)
	toNull     = regexp.MustCompile(`[0-9&]?>(?:&[0-9]| ?/dev/null)`)
	parts      = regexp.MustCompile(`[;\n]|&&|\|\|?`)
	showing    = regexp.MustCompile(`^(?:(?:bat|cat|head|tail|more|less|nl|wc|stat|du|df|ls|pwd|` +
		`which|whoami|type|echo|printf|printenv|e?grep|fgrep|rg|ag|locate|cut|tr|column|jq|diff|` +
		`cmp|comm|basename|dirname|realpath|readlink|strings|hexdump|od|true|cd|file|tree|sort|` +
		`uniq|xxd|find|fd|awk|sed|yq|date|tac|rev|id|ps|free|uptime|uname|lsof|journalctl|` +
		`sha(?:1|256|512)sum|md5sum|shasum|b2sum|cksum)(?: |$)|(?:kubectl|helm|docker|podman|` +
		`terraform|tofu|systemctl) (?:[^;|]* )?(?:get|describe|logs|ps|list|ls|history|status|` +
		`show|inspect|images|version|top|events|stats|output|cat|diff)(?: |$)|` +
		`git (?:-C \S+ |--no-pager )*(?:log|diff|show|` +
		`status|blame|grep|ls-files|ls-tree|rev-parse|describe|shortlog|cat-file|reflog|` +
		`remote(?: -v| show| get-url)?|branch(?: -[avr]+| --list| --show-current)?|` +
		`stash (?:list|show))(?: |$)|gh \w+ (?:view|list|status|diff|checks)(?: |$)|` +
		`go (?:doc|version|env|list)(?: |$))`)
	changing = regexp.MustCompile(`>|\$\(|` + "`" + `|<\(|(?:sed|yq) .*-i|find .*` +
		`-(?:delete|exec|ok|fprint)|fd .*-[xX]|sort .*-o|git branch .*-[dDmMcCuf]|&$`)
	// windowsPath matches a path that some shells read as another one, unless it is quoted.
	windowsPath = regexp.MustCompile(`\b[A-Za-z]:\\\w`)
)

// OnlyShows reports whether a command runs only programs that show something.
func (c *Call) OnlyShows() bool {
	if c.Command() == "" {
		return false
	}
	plain := toNull.ReplaceAllString(quotedText.ReplaceAllString(c.Command(), "x"), "")
	if changing.MatchString(plain) ||
		windowsPath.MatchString(onlyQuoted.ReplaceAllString(c.Command(), "")) {
		return false
	}
	for _, part := range parts.Split(plain, -1) {
		if part = strings.TrimSpace(part); part != "" && !showing.MatchString(part) {
			return false
		}
	}
	return true
}

// WordsIn yields the words of the call's command, each with the folder that the call or the command
// names before it, and that folder itself.
func (k *Call) WordsIn() iter.Seq2[string, string] {
	return func(yield func(word, in string) bool) {
		in, before := k.folder(), ""
		for _, word := range strings.FieldsFunc(k.Command(), func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(";|&", r)
		}) {
			word = strings.Trim(word, `'"`)
			if before == "cd" {
				if strings.HasPrefix(word, "/") || strings.HasPrefix(word, "~") {
					in = ""
				}
				in, word = path.Join(in, word), ""
			}
			if before = word; !yield(word, in) {
				return
			}
		}
	}
}

// folder returns the folder that a command runs in, "" if the call names none.
func (c *Call) folder() string {
	for i := range c.Args {
		if a := &c.Args[i]; a.isFolder() && a.Word {
			return a.Text
		}
	}
	return ""
}

// isFolder reports whether an argument is the folder that a command runs in.
func (a *Argument) isFolder() bool {
	switch a.Path {
	case "workdir", "cwd", "dir", "directory", "working_directory", "dir_path":
		return true
	}
	return false
}

// commandNames are the names of arguments that hold a command.
var commandNames = []string{"command", "cmd", "script", "code", "commandLine", "commands"}

// programs are the tools whose "code" or "script" is a program that they run.
var programs = regexp.MustCompile(`(?i)(?:^|__|\.)(?:bash|shell|run|terminal|python|ipython|` +
	`(?:run|execute)_?python|code_?interpreter|exec(?:ute)?(?:_?command)?)$`)

// Command returns what the call runs, "" if it runs nothing.
func (c *Call) Command() string {
	if strings.Contains(c.Tool, "edit") && !c.Runs() {
		return "" // an editor's "command" is one of its actions
	}
	var words []string
	between := " "
	for _, name := range commandNames {
		if name == "commands" && !c.Runs() ||
			(name == "script" || name == "code") && !programs.MatchString(c.Tool) {
			continue
		}
		if name == "commands" {
			between = "; "
		}
		for _, a := range c.Args {
			if a.Name == name && a.Word {
				words = append(words, a.Text)
			}
		}
		if len(words) > 0 {
			break
		}
	}
	if len(words) == 0 && len(c.Args) == 1 && c.Args[0].Name == "" && c.Runs() {
		words = []string{c.Args[0].Text}
	}
	if n := len(words); n == 3 && between == " " && strings.HasPrefix(words[1], "-") {
		words = words[2:] // ["bash", "-lc", "go test ./..."]
	}
	return strings.TrimSpace(strings.Join(words, between))
}

// Runs reports whether the tool runs commands, judging by its name.
func (c *Call) Runs() bool {
	name := strings.ToLower(c.Tool)
	for _, word := range []string{"bash", "shell", "exec", "terminal", "run_command",
		"runcommand"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
