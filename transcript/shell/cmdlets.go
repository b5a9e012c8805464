package shell

import "strings"

// shows are the commands of PowerShell that show something and change nothing, in lower case. No
// program of another shell has such a name.
var shows = set("get-content get-childitem get-item get-location get-date get-command " +
	"get-filehash select-string select-object measure-object sort-object group-object " +
	"format-table format-list out-string test-path resolve-path")

// ReadPowerShell reads a command of PowerShell.
func ReadPowerShell(command string) Command { return Command{shows: onlyShows(command)} }

// onlyShows reports whether a command runs nothing but these, one after another or in pipes: it has
// no blocks, variables, calls, redirections, or quotes of both kinds.
func onlyShows(command string) bool {
	if len(command) > maxCommand || strings.ContainsRune(command, '"') &&
		strings.ContainsRune(command, '\'') {
		return false
	}
	for statement := range strings.FieldsFuncSeq(withoutQuoted(command), func(r rune) bool {
		return strings.ContainsRune("|;\r\n", r)
	}) {
		words := strings.Fields(statement)
		if len(words) == 0 || !shows[strings.ToLower(words[0])] {
			return false
		}
	}
	return command != "" && !strings.ContainsAny(withoutQuoted(command), "'`$(){}<>&#")
}

// withoutQuoted returns a command without what stands in single quotes, which no shell reads.
func withoutQuoted(command string) string {
	var b strings.Builder
	for {
		before, rest, quoted := strings.Cut(command, "'")
		b.WriteString(before)
		_, after, closed := strings.Cut(rest, "'")
		if !quoted || !closed {
			if quoted {
				b.WriteByte('\'')
			}
			return b.String()
		}
		command = after
	}
}
