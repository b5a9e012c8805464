package describe

import (
	"strconv"
	"strings"

	"killick/summary/excerpt"
	"killick/transcript"
)

// Call names a call on one line of about n bytes at most: the tool and its arguments, whole if
// there is room. A path is cut at its beginning, never in the name of the file.
func Call(c *transcript.Call, n int) string {
	if c == nil {
		return "a tool"
	}
	if nested := c.Nested(); nested != nil && !c.HasTasks() {
		return severalCalls(nested, n, Call)
	}
	return Tool(c.Name) + "(" + Subject(c, n) + ")"
}

// CallInWords is like Call, but cuts between words, so that no file name becomes another one.
// Of a command it keeps the first whole words within n bytes, of several arguments those within
// half as many.
func CallInWords(c *transcript.Call, n int) string {
	if nested := c.Nested(); nested != nil && !c.HasTasks() {
		return severalCalls(nested, n, CallInWords)
	}
	c = telling(c)
	whole := excerpt.Line(excerpt.Head(c.Command, excerpt.MostRead))
	beside := besideCommand(c, n/2)
	switch {
	case whole != "":
		n = max(0, n-len(beside))
	case c.SearchPattern() != "":
		whole = Subject(c, MaxArguments)
	case PathSaysAll(c) || len(c.Args) < 2:
		return Call(c, n)
	default:
		whole, n = firstPairs(c, MaxArguments), n/2
	}
	if len(whole) <= n {
		return Tool(c.Name) + "(" + whole + beside + ")"
	}
	end := n
	for end > 0 && (whole[end] != ' ' || excerpt.InGroups(whole, end)) {
		end--
	}
	if end == 0 { // the first word stays whole
		end = len(whole)
		if i := strings.IndexByte(whole[1:], ' '); i >= 0 {
			end = 1 + i
		}
	}
	if end > MaxArguments {
		return Call(c, n)
	}
	if end == len(whole) {
		return Tool(c.Name) + "(" + whole + beside + ")"
	}
	return Tool(c.Name) + "(" + whole[:end] + " […]" + beside + ")"
}

// severalCalls names the first of several calls of a script, and how many follow.
func severalCalls(
	calls []transcript.Call, n int, describe func(*transcript.Call, int) string,
) string {
	first := describe(&calls[0], n)
	if len(calls) == 2 {
		return first + " and 1 more call"
	}
	return first + " and " + strconv.Itoa(len(calls)-1) + " more calls"
}

// Subject returns what distinguishes a call from others of its tool: the command that it runs, the
// files that it names, or else its arguments.
func Subject(c *transcript.Call, n int) string {
	switch c = telling(c); {
	case c.Command != "":
		beside := besideCommand(c, n/2)
		return excerpt.Quote(c.Command, max(0, n-len(beside))) + beside
	case c.SearchPattern() != "": // and where
		parts := append([]string{c.SearchPattern()}, pathsIn(c)...)
		return excerpt.Quote(strings.Join(parts, ", "), n)
	case len(c.Paths) == 1 && PathSaysAll(c):
		return ShortPath(c.Paths[0].Name, n)
	case len(c.Paths) > 1 && PathSaysAll(c):
		return excerpt.Quote(strings.Join(pathsIn(c), ", "), n)
	case len(c.Args) == 1 && (c.Args[0].Quoted || c.Args[0].Key == ""):
		return excerpt.Quote(c.Args[0].Text, n)
	}
	return pairs(c, n)
}

// PathSaysAll reports whether the files that a call names say all about it that a record needs.
// What a tool in no table does with further arguments, such as the cells of a sheet, may be in them
// alone; so is whether a call only shows what it would do.
func PathSaysAll(c *transcript.Call) bool {
	return len(c.Paths) > 0 && !c.OnlyShows() &&
		(len(c.Paths) > 1 || c.Known() || len(c.Args) == 1 || c.Paths[0].Patch != "")
}

// pathsIn returns the files that a call names.
func pathsIn(c *transcript.Call) []string {
	names := make([]string, len(c.Paths))
	for i := range c.Paths {
		names[i] = c.Paths[i].Name
	}
	return names
}
