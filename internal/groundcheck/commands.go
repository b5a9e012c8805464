package groundcheck

import (
	"path"
	"regexp"
	"strings"
)

// For a file that a command changed, records state the tool and the action: "bash delete (9)". Here
// commands are read by their words alone, not by the parser that records are made with.

// commandActions are the programs and operators that a command needs for an action.
var commandActions = map[string]*regexp.Regexp{
	"delete":    regexp.MustCompile(`\b(?:rm|rmdir|unlink)\b`),
	"move from": regexp.MustCompile(`\bmv\b`),
	"move to":   regexp.MustCompile(`\bmv\b`),
	"copy to":   regexp.MustCompile(`\bcp\b`),
	"write":     regexp.MustCompile(`>|\btee\b`),
	"restore":   regexp.MustCompile(`\bgit\b.*\b(?:checkout|restore)\b`),
	"append":    regexp.MustCompile(`>>|\btee\b`),
	"edit":      regexp.MustCompile(`\bg?sed\b`),
}

// deletes matches a command that only deletes one file.
var deletes = regexp.MustCompile(`^(?:git )?rm (?:-f )?([\w./-]+)$`)

// byCommand splits "bash move to" into the tool and what its command does. ok is false for any
// other tool.
func byCommand(tool string) (name string, action *regexp.Regexp, ok bool) {
	name, what, ok := strings.Cut(tool, " ")
	return name, commandActions[what], ok && name != "patch" && commandActions[what] != nil
}

// commandWords returns the words of the call's command.
func (c *call) commandWords() []string {
	return strings.FieldsFunc(c.command(), func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;|&<>()'\"`", r)
	})
}

// changes reports whether a command of the call can do an action to a file.
func (c *call) changes(file string, action *regexp.Regexp) bool {
	command := c.command()
	first, _, _ := strings.Cut(command, "\n")
	if o := c.ended(); !action.MatchString(command) || o.unsure() ||
		strings.Contains(first, "&&") && !(o.stated && o.exit == 0) && !onlyFiles(first) {
		return false
	}
	if strings.Contains(command, file) {
		return true
	}
	base := path.Base(file)
	for _, w := range c.commandWords() {
		w = strings.TrimPrefix(path.Clean(strings.ReplaceAll(w, `\`, "")), "../")
		if w == file || strings.HasSuffix(file, "/"+w) || path.Base(w) == base {
			return true
		}
	}
	return strings.Contains(strings.ReplaceAll(command, `\`, ""), base)
}

// ofFiles matches a command that only changes files or the working directory.
var ofFiles = regexp.MustCompile(`^\s*(?:(?:cd|mkdir|rm|rmdir|unlink|mv|cp|ln|touch|chmod|` +
	`git (?:mv|rm|add)|g?sed .*-[a-zA-Z]*i.*) [^;|>]*|cd)$`)

// onlyFiles reports whether all commands joined by && are such commands.
func onlyFiles(line string) bool {
	for part := range strings.SplitSeq(line, "&&") {
		if !ofFiles.MatchString(part) {
			return false
		}
	}
	return true
}

// commandUse checks one "bash delete 2× (last 9)" of a file: at least as many calls of the tool can
// have done it, and the one that is named is among them.
func (c *checker) commandUse(file string, tool string, times, last int) bool {
	name, action, ok := byCommand(tool)
	if !ok {
		return false
	}
	n, named := 0, false
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		if matches(name, fold(k.tool)) && k.changes(file, action) {
			n++
			named = named || k.caller.number == last
		}
	}
	switch {
	case !named:
		c.fault(RuleFile, "message %d does not %s %s", last, tool, excerpt(file))
	case n < times:
		c.fault(RuleUses, "%s: %s %d times; at most %d do", excerpt(file), tool, times, n)
	}
	return true
}

// stillThere checks that no command after message number deleted the file whose lines are shown.
func (c *checker) stillThere(file string, number int) {
	for _, k := range c.client.between(number+1, len(c.client.messages)) {
		found := deletes.FindStringSubmatch(k.command())
		if found == nil || k.ended().unsure() || k.script {
			continue
		}
		if gone := strings.TrimPrefix(found[1], "./"); gone == file {
			c.fault(RuleLatest, "%s was deleted in message %d", excerpt(file), k.caller.number)
		}
	}
}

// touched checks that a message after another one, or one of several calls of the same message,
// makes a call that can change a file: it runs something, or names the file.
func (c *checker) touched(file string, number, after int) {
	m, calls := c.client.at(number), 0
	for _, k := range c.client.calls {
		if k.caller.number == after {
			calls++
		}
	}
	if m == nil || number < after || number == after && calls < 2 {
		c.fault(RulePlace, "message %d is not after message %d", number, after)
		return
	}
	for _, k := range m.calls {
		if k.command() != "" || strings.Contains(k.decoded(), path.Base(file)) {
			return
		}
	}
	c.fault(RuleCall, "message %d runs nothing and does not name %s", number, excerpt(file))
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

// onlyShows reports whether a command runs only programs that show something.
func (c *call) onlyShows() bool {
	if c.command() == "" {
		return false
	}
	plain := toNull.ReplaceAllString(quotedText.ReplaceAllString(c.command(), "x"), "")
	if changing.MatchString(plain) ||
		windowsPath.MatchString(onlyQuoted.ReplaceAllString(c.command(), "")) {
		return false
	}
	for _, part := range parts.Split(plain, -1) {
		if part = strings.TrimSpace(part); part != "" && !showing.MatchString(part) {
			return false
		}
	}
	return true
}
