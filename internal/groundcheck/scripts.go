package groundcheck

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Some agents have one tool that runs JavaScript. What its scripts call is read here from their
// spelling alone, which does for scripts that are a list of calls with literal arguments.

var (
	scriptCall  = regexp.MustCompile(`\btools\.(\w+)\(`)
	scriptConst = regexp.MustCompile("(?m)^const (\\w+) = ([\"`])")
	scriptKey   = regexp.MustCompile(`^(\w+)\s*:\s*`)
	scriptEnd   = regexp.MustCompile(`^,\s*[}\])]`)
	scriptWord  = regexp.MustCompile(`^[\w.]+`)
	// scriptElse is what makes it uncertain which calls are made.
	scriptElse = regexp.MustCompile(`\b(?:if|while|function|try|map|exit)\b|=>|\.then\(|\?`)
)

// cellForm is how the result of a script begins that goes on.
var cellForm = regexp.MustCompile(`^Script running with cell ID (\w{1,20})\n`)

// awaited matches the results of a call that waits for a script, if they are about the script.
var awaited = regexp.MustCompile(
	`^Script (?:completed\n|terminated\n|running with cell ID \w{1,20}\n)`,
)

// nested is like call.nested. A call that waits for a script stands for what is left of it.
func (conv *conversation) nested(c *call) []*call {
	text, by := c.result.text(), c
	from := conv.cells[c.argument("cell_id")]
	resumes := c.tool == "wait" && from != nil && awaited.MatchString(text)
	if resumes {
		by = &call{caller: c.caller, id: c.id, tool: from.tool, raw: from.raw, args: from.args,
			result: c.result}
	}
	made := by.nested()
	for _, k := range made {
		if !resumes {
			break
		}
		if k.cell = c.argument("cell_id"); k.shared {
			began := *k
			began.caller, k.began = from.caller, &began
		}
	}
	if found := cellForm.FindStringSubmatch(text); found != nil && c.tool == "exec" {
		conv.cells[found[1]] = c
	}
	return made
}

// nested returns the calls that replace one that ran a script: those that it made if it came to its
// end, the one that it makes if it did not, else the call itself. So do those that stand for the
// tasks of a call.
func (c *call) nested() []*call {
	if tasks := c.tasks(); tasks != nil {
		return tasks
	}
	if !c.runs() || len(c.args) != 1 || !strings.Contains(c.args[0].text, "tools.") {
		return []*call{c}
	}
	source := c.args[0].text
	var made []*call
	rest := source
	for {
		at := scriptCall.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		k := &call{caller: c.caller, id: c.id, tool: rest[at[2]:at[3]], result: c.result,
			script: true}
		rest = rest[at[1]:]
		k.raw, k.args, rest = scriptArguments(rest, source)
		made = append(made, k)
	}
	code := outsideLiterals(source)
	text := c.result.text()
	if len(made) == 0 || scriptElse.MatchString(code) ||
		len(made) > 1 && !strings.HasPrefix(text, "Script completed\n") {
		return []*call{c}
	}
	if len(made) > 1 {
		for _, k := range made {
			k.shared = true
		}
	}
	return made
}

// scriptArguments reads what follows the opening bracket of a call.
func scriptArguments(s, source string) (raw string, args []argument, rest string) {
	s = strings.TrimLeft(s, " \n\t")
	if word := scriptWord.FindString(s); word != "" {
		for _, at := range scriptConst.FindAllStringSubmatchIndex(source, -1) {
			if source[at[2]:at[3]] == word {
				raw, _ = literal(source[at[4]:])
			}
		}
		return raw, []argument{{text: raw, word: true}}, s[len(word):]
	}
	if s[0] == '"' || s[0] == '`' || s[0] == '\'' {
		raw, rest = literal(s)
		return raw, []argument{{text: raw, word: true}}, rest
	}
	// An object: its names and texts in JSON's quotes, without a comma after the last member.
	var b strings.Builder
	for depth := 0; s != ""; {
		switch c := s[0]; {
		case strings.IndexByte("\"'`", c) >= 0:
			text, after := literal(s)
			quoted, _ := json.Marshal(text) // a text can always be encoded
			b.Write(quoted)
			s = after
			continue
		case c == ',' && scriptEnd.MatchString(s), c == ' ', c == '\n', c == '\t':
		case scriptKey.MatchString(s):
			name := scriptKey.FindStringSubmatch(s)
			b.WriteString(strconv.Quote(name[1]) + ":")
			s = s[len(name[0]):]
			continue
		default:
			if strings.IndexByte("{[", c) >= 0 {
				depth++
			} else if strings.IndexByte("}])", c) >= 0 {
				depth--
			}
			if depth < 0 {
				return b.String(), readArguments(b.String()), s
			}
			b.WriteByte(c)
		}
		s = s[1:]
	}
	return b.String(), readArguments(b.String()), s
}

// literal reads the string literal that s begins with.
func literal(s string) (text, rest string) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return b.String(), s[i+1:]
		case c != '\\' || i+1 == len(s):
			b.WriteByte(c)
		default:
			i++
			if at := strings.IndexByte("ntr", s[i]); at >= 0 {
				b.WriteByte("\n\t\r"[at])
			} else {
				b.WriteByte(s[i])
			}
		}
	}
	return b.String(), ""
}

// outsideLiterals returns a program without its string literals.
func outsideLiterals(s string) string {
	var b strings.Builder
	for s != "" {
		at := strings.IndexAny(s, "\"'`")
		if at < 0 {
			return b.String() + s
		}
		b.WriteString(s[:at])
		_, s = literal(s[at:])
	}
	return b.String()
}

// The messages by which clients say that a command in the background has ended.
var (
	claudeNotice = regexp.MustCompile(`(?ms)^<task-notification>\n<task-id>([\w-]+)</task-id>\n` +
		`.*?<status>(\w+)</status>\n<summary>(?:Agent|Background command) "[^<]*" (\w+)` +
		`(?: \(exit code (-?\d+)[^<]*| with exit code (-?\d+))?[^<]*</summary>\n` +
		`(?:<result>(.*?)</result>)?`)
	agentForm  = regexp.MustCompile(`^Async agent launched successfully\..*\nagentId: ([\w-]+) `)
	kimiNotice = regexp.MustCompile(`(?m)^<notification id="task:[^>]* type="task\.(\w+)" ` +
		`source_kind="background_task" source_id="([\w-]+)">\nTitle: Background process `)
)

// addNotices adds to the calls, in order, what messages say of commands that have ended.
func (conv *conversation) addNotices() {
	for _, m := range conv.messages {
		if m.role != "user" {
			continue
		}
		for _, found := range claudeNotice.FindAllStringSubmatch(m.text(), -1) {
			end := outcome{failed: found[2] == "failed"}
			if n, err := strconv.Atoi(found[4] + found[5]); err == nil && found[2] != "killed" {
				end = outcome{stated: true, exit: n, failed: n != 0}
			}
			if found[3] != "is" { // it is waiting for work of its own
				conv.addNotice(m, found[1], end, found[6])
			}
		}
		for _, found := range kimiNotice.FindAllStringSubmatch(m.text(), -1) {
			conv.addNotice(m, found[2],
				outcome{failed: found[1] == "failed" || found[1] == "timed_out"}, "")
		}
	}
}

// addNotice adds that a session has ended, with the report of a sub-agent.
func (conv *conversation) addNotice(m *message, session string, end outcome, report string) {
	at := len(conv.calls)
	for at > 0 && conv.calls[at-1].caller.number > m.number {
		at--
	}
	conv.calls = slices.Insert(conv.calls, at, &call{caller: m, notice: session, end: &end,
		result: &message{number: m.number, texts: []string{report}}})
}
