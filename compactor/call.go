package compactor

import (
	"strings"

	"killick/chat"
)

// callKind is what a tool call does to the world, as far as its name and
// arguments tell.
type callKind byte

const (
	callOther callKind = iota
	callReads
	callWrites
	callRuns
)

// call is one tool call with its result.
type call struct {
	name    string
	args    string // the arguments as text, JSON in nearly all cases
	kind    callKind
	paths   []string // the files that the arguments name
	command string   // what a call that runs something runs
	caller  int      // the message that makes the call
	result  int      // the message that answers it, -1 if none does
	failed  bool     // the result looks like an error
	whole   bool     // the only argument is the file: no range of lines is asked for
}

// key is what makes two calls the same call.
func (c *call) key() string { return c.name + "\x00" + c.args }

// readCalls returns the calls of the groups in order, and for each message of
// msgs the index of the call that it answers, -1 for those that answer none.
func readCalls(msgs []chat.Message, groups []chat.Group) (calls []call, answers []int) {
	answers = make([]int, len(msgs))
	for i := range answers {
		answers[i] = -1
	}
	for _, g := range groups {
		calls = readGroup(msgs, g, calls, answers)
	}
	return calls, answers
}

func readGroup(msgs []chat.Message, g chat.Group, calls []call, answers []int) []call {
	waiting := map[string][]int{}
	for i := g.Start; i < g.End; i++ {
		m := &msgs[i]
		if m.Role().Result() {
			key := m.ToolCallID()
			if m.Role() == chat.Function {
				key = "\x00" + m.Name()
			}
			open := waiting[key]
			if len(open) == 0 {
				continue
			}
			c := open[len(open)-1]
			waiting[key] = open[:len(open)-1]
			answers[i], calls[c].result = c, i
			calls[c].failed = looksFailed(m)
			continue
		}
		if m.Role() != chat.Assistant {
			continue
		}
		for _, made := range m.ToolCalls() {
			key := made.ID
			if made.Legacy {
				key = "\x00" + made.Name
			}
			waiting[key] = append(waiting[key], len(calls))
			calls = append(calls, newCall(made, i))
		}
	}
	return calls
}

func newCall(made chat.ToolCall, caller int) call {
	c := call{name: made.Name, args: made.Arguments.Text(), caller: caller, result: -1}
	if made.Arguments.Kind() == chat.Object { // some clients send the object itself
		c.args = string(made.Arguments)
	}
	args := chat.Value(strings.TrimSpace(c.args))
	c.command = firstText(args, "command", "cmd", "script", "code")
	c.kind = kindOf(c.name, c.command)
	c.paths = pathArguments(args)
	c.whole = len(c.paths) == 1 && members(args) == 1
	if len(c.paths) == 0 && c.kind == callWrites {
		c.paths = patchPaths(c.args, args)
	}
	return c
}

// Words of a tool's name that tell what it does, most telling first: a tool
// called read_and_edit writes.
var (
	writeWords = []string{"write", "edit", "create", "replace", "patch", "insert", "update", "delete", "remove", "move", "rename", "append", "save", "modify"}
	runWords   = []string{"bash", "shell", "exec", "execute", "run", "command", "terminal", "cmd"}
	readWords  = []string{"read", "open", "view", "cat", "get", "show", "fetch", "load", "list", "ls", "grep", "search", "find", "glob"}
)

func kindOf(name, command string) callKind {
	words := nameWords(name)
	if has(words, "editor") || has(words, "str") && has(words, "replace") {
		if command == "view" { // one tool with the action as an argument
			return callReads
		}
		return callWrites
	}
	switch {
	case hasAny(words, writeWords):
		return callWrites
	case hasAny(words, runWords):
		return callRuns
	case hasAny(words, readWords):
		return callReads
	}
	return callOther
}

// nameWords splits the name of a tool at its underscores, dashes, dots and
// capital letters, in lower case.
func nameWords(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && 'A' <= r && r <= 'Z' {
			b.WriteByte(' ')
		}
		if r == '_' || r == '-' || r == '.' || r == '/' || r == ':' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.Fields(strings.ToLower(b.String()))
}

func has(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

func hasAny(words, of []string) bool {
	for _, w := range words {
		if has(of, w) {
			return true
		}
	}
	return false
}

// pathKeys are the names under which tools take files.
var pathKeys = []string{
	"file_path", "path", "filepath", "file", "filename", "file_name", "target_file",
	"notebook_path", "absolute_path", "relative_path", "old_path", "new_path", "source", "destination", "paths", "files",
}

func pathArguments(args chat.Value) (paths []string) {
	for key, value := range args.Members() {
		if !has(pathKeys, key.Text()) {
			continue
		}
		if value.Kind() == chat.Array {
			for el := range value.Elements() {
				paths = appendPath(paths, el.Text())
			}
			continue
		}
		paths = appendPath(paths, value.Text())
	}
	return paths
}

func members(object chat.Value) (n int) {
	for range object.Members() {
		n++
	}
	return n
}

// appendPath appends what can be a path: one line, no longer than paths are.
func appendPath(paths []string, s string) []string {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 300 || strings.ContainsAny(s, "\n\x00") {
		return paths
	}
	return append(paths, s)
}

// patchPaths finds the files that a patch given as text names: the headers of
// a unified diff and those of the "*** Update File:" form.
func patchPaths(args string, object chat.Value) (paths []string) {
	text := args
	for _, value := range object.Members() {
		if value.Kind() == chat.String {
			text = value.Text()
			break
		}
	}
	for line := range strings.Lines(text) {
		for _, mark := range []string{"+++ b/", "*** Update File: ", "*** Add File: ", "*** Delete File: "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				paths = appendPath(paths, rest)
			}
		}
	}
	return paths
}

func firstText(object chat.Value, keys ...string) string {
	for _, key := range keys {
		if v := object.Get(key); v.Kind() == chat.String {
			return v.Text()
		}
	}
	return ""
}

// ranged tells calls that ask for some lines of a file.
func (c *call) ranged() bool {
	if c.kind != callReads || c.whole {
		return false
	}
	args := chat.Value(strings.TrimSpace(c.args))
	for key := range args.Members() {
		if has(rangeKeys, key.Text()) {
			return true
		}
	}
	return false
}

// rangeKeys are the names under which reading tools take the lines to show.
var rangeKeys = []string{
	"offset", "limit", "start_line", "end_line", "start", "end", "line_start", "line_end", "from_line", "to_line",
	"view_range", "line_range", "range", "lines",
}
