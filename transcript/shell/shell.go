// Package shell reads which files a shell command changes, and which programs it runs. It parses
// commands and never runs them. It reports only what follows from their structure: the programs,
// their arguments, and redirections. It never guesses what an unknown program does, and states for
// each change whether it is certain.
package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Read reads a command. Nothing is read of one that cannot be parsed.
func Read(command string) Command { return ReadIn("", command) }

// ReadIn reads a command that runs in a folder: its changes are in it, if they are relative.
func ReadIn(folder, command string) (read Command) {
	if len(command) > maxCommand || depth(command) > maxDepth {
		return Command{}
	}
	if onlyShows(command) {
		return Command{shows: true}
	}
	defer func() {
		if recover() != nil { // a panic of the parser must not fail a request
			read = Command{}
		}
	}()
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	file, err := parser.Parse(strings.NewReader(command), "")
	if err != nil {
		return Command{}
	}
	if len(folder) > maxPath {
		folder = ""
	}
	r, certain := &reader{folder: folder, room: leastRoom + roomFor*len(command)}, IfOK
	r.where.path = folder
	if diverts(file) {
		certain = Never
	}
	r.list(file.Stmts, certain)
	programs, _ := plain(file.Stmts)
	return Command{Changes: r.changes, Programs: programs, Inline: r.inline}
}

// depth returns the maximum level of brackets.
func depth(command string) (most int) {
	depth := 0
	for i := range len(command) {
		switch command[i] {
		case '(', '{', '[':
			depth++
			most = max(most, depth)
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	return most
}
