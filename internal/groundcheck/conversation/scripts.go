package conversation

import (
	"encoding/json"
	"regexp"
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
func (conv *Conversation) nested(c *Call) []*Call {
	text, by := c.Result.Text(), c
	from := conv.cells[c.Named("cell_id")]
	resumes := c.Tool == "wait" && from != nil && awaited.MatchString(text)
	if resumes {
		by = &Call{Caller: c.Caller, ID: c.ID, Tool: from.Tool, raw: from.raw, Args: from.Args,
			Result: c.Result}
	}
	made := by.nested()
	for _, k := range made {
		if !resumes {
			break
		}
		if k.Cell = c.Named("cell_id"); k.Shared {
			began := *k
			began.Caller, k.Began = from.Caller, &began
		}
	}
	if found := cellForm.FindStringSubmatch(text); found != nil && c.Tool == "exec" {
		conv.cells[found[1]] = c
	}
	return made
}

// nested returns the calls that replace one that ran a script: those that it made if it came to its
// end, the one that it makes if it did not, else the call itself. So do those that stand for the
// tasks of a call.
func (c *Call) nested() []*Call {
	if tasks := c.tasks(); tasks != nil {
		return tasks
	}
	if !c.Runs() || len(c.Args) != 1 || !strings.Contains(c.Args[0].Text, "tools.") {
		return []*Call{c}
	}
	source := c.Args[0].Text
	var made []*Call
	rest := source
	for {
		at := scriptCall.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		k := &Call{Caller: c.Caller, ID: c.ID, Tool: rest[at[2]:at[3]], Result: c.Result,
			Script: true}
		rest = rest[at[1]:]
		k.raw, k.Args, rest = scriptArguments(rest, source)
		made = append(made, k)
	}
	code := outsideLiterals(source)
	text := c.Result.Text()
	if len(made) == 0 || scriptElse.MatchString(code) ||
		len(made) > 1 && !strings.HasPrefix(text, "Script completed\n") {
		return []*Call{c}
	}
	if len(made) > 1 {
		for _, k := range made {
			k.Shared = true
		}
	}
	return made
}

// scriptArguments reads what follows the opening bracket of a call.
func scriptArguments(s, source string) (raw string, args []Argument, rest string) {
	s = strings.TrimLeft(s, " \n\t")
	if word := scriptWord.FindString(s); word != "" {
		for _, at := range scriptConst.FindAllStringSubmatchIndex(source, -1) {
			if source[at[2]:at[3]] == word {
				raw, _ = literal(source[at[4]:])
			}
		}
		return raw, []Argument{{Text: raw, Word: true}}, s[len(word):]
	}
	if s[0] == '"' || s[0] == '`' || s[0] == '\'' {
		raw, rest = literal(s)
		return raw, []Argument{{Text: raw, Word: true}}, rest
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
