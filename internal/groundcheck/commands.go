package groundcheck

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
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

// changesFile reports whether a command of the call can do an action to a file.
func changesFile(c *conversation.Call, file string, action *regexp.Regexp) bool {
	command := c.Command()
	first, _, _ := strings.Cut(command, "\n")
	if o := c.Ended(); !action.MatchString(command) || o.Unsure() ||
		strings.Contains(first, "&&") && !(o.Stated && o.Exit == 0) && !onlyFiles(first) {
		return false
	}
	if strings.Contains(command, file) {
		return true
	}
	base := path.Base(file)
	for _, w := range c.CommandWords() {
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
	for _, k := range c.client.Between(c.rec.first, c.rec.last) {
		if matches(name, quoted.Fold(k.Tool)) && changesFile(k, file, action) {
			n++
			named = named || k.Caller.Number == last
		}
	}
	switch {
	case !named:
		c.fault(ruleFile, "message %d does not %s %s", last, tool, excerpt(file))
	case n < times:
		c.fault(ruleUses, "%s: %s %d times; at most %d do", excerpt(file), tool, times, n)
	}
	return true
}

// stillThere checks that no command after message number deleted the file whose lines are shown.
func (c *checker) stillThere(file string, number int) {
	for _, k := range c.client.Between(number+1, len(c.client.Messages)) {
		found := deletes.FindStringSubmatch(k.Command())
		if found == nil || k.Ended().Unsure() || k.Script {
			continue
		}
		if gone := strings.TrimPrefix(found[1], "./"); gone == file {
			c.fault(ruleLatest, "%s was deleted in message %d", excerpt(file), k.Caller.Number)
		}
	}
}

// touched checks that a message after another one, or one of several calls of the same message,
// makes a call that can change a file: it runs something, or names the file.
func (c *checker) touched(file string, number, after int) {
	m, calls := c.client.At(number), 0
	for _, k := range c.client.Calls {
		if k.Caller.Number == after {
			calls++
		}
	}
	if m == nil || number < after || number == after && calls < 2 {
		c.fault(rulePlace, "message %d is not after message %d", number, after)
		return
	}
	for _, k := range slices.Concat(m.Calls, m.Wrote) {
		if k.Command() != "" || strings.Contains(k.Decoded(), path.Base(file)) {
			return
		}
	}
	c.fault(ruleCall, "message %d runs nothing and does not name %s", number, excerpt(file))
}
