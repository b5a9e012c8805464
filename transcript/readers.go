package transcript

import (
	"slices"
	"strings"
)

// readers are the programs that show something and change nothing, with their subcommands that do
// so if they have subcommands.
var readers = map[string]string{
	"cat": "", "head": "", "tail": "", "less": "", "more": "", "nl": "", "bat": "", "wc": "",
	"file": "", "stat": "", "du": "", "df": "", "ls": "", "tree": "", "pwd": "", "which": "",
	"whoami": "", "type": "", "echo": "", "printf": "", "date": "", "printenv": "", "grep": "",
	"egrep": "", "fgrep": "", "rg": "", "ag": "", "ack": "", "find": "", "fd": "", "locate": "",
	"sort": "", "uniq": "", "cut": "", "tr": "", "column": "", "jq": "", "yq": "", "diff": "",
	"cmp": "", "comm": "", "basename": "", "dirname": "", "realpath": "", "readlink": "",
	"strings": "", "xxd": "", "hexdump": "", "od": "", "true": "", "cd": "", "sed": "", "awk": "",
	"git": "log diff show status blame grep ls-files ls-tree rev-parse branch describe remote " +
		"reflog shortlog cat-file",
	"go": "doc list version env",
	"gh": "view list status diff checks",
}

// changers are the beginnings of the arguments with which a reader does change files.
var changers = map[string][]string{
	"sed": {"--in-place"}, "awk": {"-i"}, "yq": {"-i", "--inplace"}, "sort": {"--output"},
	"fd": {"-x", "-X", "--exec"}, "tree": {"-o"}, "git": {"-d", "-D", "-m", "--output"},
}

// changingWords are the whole arguments with which a reader does change something.
var changingWords = map[string][]string{
	"git":  {"add", "set-url", "remove"},
	"find": strings.Fields("-delete -exec -execdir -ok -okdir -fprint -fprint0 -fprintf -fls"),
}

// writingLetters are the letters that make a reader write to a file, in a cluster of options such
// as "-Ei". Letters after one of the others are its value.
var writingLetters = map[string]struct {
	writing byte
	valued  string
}{
	"sed": {'i', "ef"}, "sort": {'o', "kStT"}, // "sed -ei" runs the command "i"
}

// OnlyReads reports whether a call runs only programs that are known to show something and change
// nothing. A command with a substitution or a redirection into a file does not count.
func (c *Call) OnlyReads() bool {
	if c.Effect != Runs || len(c.Command) > 4096 || strings.ContainsAny(c.Command, "`$\n") {
		return false
	}
	for _, segment := range segments(c.Command) {
		if !readsOnly(strings.Fields(segment)) {
			return false
		}
	}
	return true
}

// ChangesNothing reports whether the call is known to only show something: its tool is in the
// tables and reads, or it runs only programs that do.
func (c *Call) ChangesNothing() bool {
	return c.Known() && c.Effect == Reads || c.Lists() || c.OnlyReads()
}

// segments splits a command at the separators between programs, outside quotes.
func segments(command string) (parts []string) {
	var quote byte
	start := 0
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '&' && i > 0 && command[i-1] == '>': // 2>&1
		case c == '|' || c == ';' || c == '&':
			parts = append(parts, command[start:i])
			start = i + 1
		}
	}
	return append(parts, command[start:])
}

// readsOnly reports whether the words run a program that shows something and changes nothing.
func readsOnly(words []string) bool {
	if len(words) == 0 {
		return true // an empty segment, as between the signs of "&&"
	}
	commands, known := readers[words[0]]
	if !known {
		return false
	}
	found := commands == ""
	for _, word := range words[1:] {
		if _, to, redirects := strings.Cut(word, ">"); redirects && to != "/dev/null" &&
			!strings.HasPrefix(to, "&") {
			return false // "> a", "2>a", "x>>a", or a quoted ">", which is not distinguished
		}
		if changes(words[0], word) {
			return false
		}
		if !found && !strings.HasPrefix(word, "-") {
			for _, name := range strings.Fields(commands) {
				found = found || word == name
			}
		}
	}
	return found
}

// changes reports whether an argument makes a reader change something.
func changes(program, word string) bool {
	if slices.Contains(changingWords[program], word) {
		return true
	}
	for _, start := range changers[program] {
		if strings.HasPrefix(word, start) {
			return true
		}
	}
	cluster := strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--")
	letters, known := writingLetters[program]
	if !known || !cluster {
		return false
	}
	at := strings.IndexAny(word, string(letters.writing)+letters.valued)
	return at >= 0 && word[at] == letters.writing
}
