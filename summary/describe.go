package summary

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"killick/reference"
	"killick/summary/excerpt"
	"killick/transcript"
)

// Describe names a call on one line of about n bytes at most: the tool and its arguments, whole if
// there is room. A path is cut at its beginning, never in the name of the file.
func Describe(c *transcript.Call, n int) string {
	if c == nil {
		return "a tool"
	}
	if nested := c.Nested(); nested != nil && !c.HasTasks() {
		return severalCalls(nested, n, Describe)
	}
	return toolName(c.Name) + "(" + subject(c, "", n) + ")"
}

// telling returns the call with those of its arguments that say what it does.
func telling(c *transcript.Call) *transcript.Call {
	args := c.Telling()
	if len(args) == len(c.Args) {
		return c
	}
	short := *c
	short.Args = args
	return &short
}

// describeWords is like Describe, but cuts between words, so that no file name becomes another one.
// Of a command it keeps the first whole words within n bytes, of several arguments those within
// half as many.
func describeWords(c *transcript.Call, n int) string {
	if nested := c.Nested(); nested != nil && !c.HasTasks() {
		return severalCalls(nested, n, describeWords)
	}
	c = telling(c)
	whole := excerpt.Line(excerpt.Head(c.Command, excerpt.MostRead))
	beside := besideCommand(c, n/2)
	switch {
	case whole != "":
		n = max(0, n-len(beside))
	case c.SearchPattern() != "":
		whole = subject(c, "", maxWhat)
	case pathSaysAll(c) || len(c.Args) < 2:
		return Describe(c, n)
	default:
		whole, n = firstPairs(c, maxWhat), n/2
	}
	if len(whole) <= n {
		return toolName(c.Name) + "(" + whole + beside + ")"
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
	if end > maxWhat {
		return Describe(c, n)
	}
	if end == len(whole) {
		return toolName(c.Name) + "(" + whole + beside + ")"
	}
	return toolName(c.Name) + "(" + whole[:end] + " […]" + beside + ")"
}

// besideCommand returns the arguments beside a command that say what it runs and where, such as a
// host, each after a comma: the first one, and as many whole ones as fit into n bytes. A mark
// stands in place of the others.
func besideCommand(c *transcript.Call, n int) string {
	beside := ""
	for i, a := range c.Beside() {
		next := ", " + excerpt.Line(a.Key) + "=" + excerpt.Quote(a.Text, max(n, maxWhat/4))
		if i > 0 && len(beside)+len(next) > n {
			return beside + "," + strings.TrimRight(excerpt.Gap, " ")
		}
		beside += next
	}
	return beside
}

// pairs returns the arguments of a call with their names, in about n bytes. The longest values are
// cut, each by itself: an end of one beside the name of another would be said of that. If the rest
// is still too much, arguments in the middle are left out.
func pairs(c *transcript.Call, n int) string {
	size := 0
	for i := range c.Args {
		size += len(pair(&c.Args[i], leastValue)) + len(", ")
		if size > n+len(", ") {
			return firstAndLastPairs(c, n)
		}
	}
	parts := make([]string, len(c.Args))
	for most := n; ; {
		for i := range c.Args {
			parts[i] = pair(&c.Args[i], most)
		}
		all := strings.Join(parts, ", ")
		if len(all) <= n || most <= leastValue {
			return all
		}
		most = max(leastValue, most-1-(len(all)-n)/len(parts))
	}
}

// leastValue is how many bytes of the value of an argument are shown at least.
const leastValue = 32

// pair returns an argument with its name. Its value takes at most n bytes.
func pair(a *transcript.Argument, n int) string {
	return excerpt.Line(a.Key) + "=" + excerpt.Quote(a.Text, n)
}

// firstAndLastPairs returns whole arguments of a call in about n bytes, two thirds of them from the
// beginning, with a mark in place of the others.
func firstAndLastPairs(c *transcript.Call, n int) string {
	var begin, end []string
	first := 0
	for size := 0; first < len(c.Args); first++ {
		next := pair(&c.Args[first], leastValue)
		if size += len(next) + len(", "); size > n*2/3 && first > 0 {
			break
		}
		begin = append(begin, next)
	}
	for i, size := len(c.Args)-1, 0; i >= first; i-- {
		next := pair(&c.Args[i], leastValue)
		if size += len(next) + len(", "); size > n/3-len(excerpt.Gap) {
			break
		}
		end = append(end, next)
	}
	slices.Reverse(end)
	return strings.TrimRight(strings.Join(begin, ", ")+","+excerpt.Gap+strings.Join(end, ", "), " ")
}

// firstPairs returns the first arguments of a call with their names, in more than n bytes if there
// are as many.
func firstPairs(c *transcript.Call, n int) (all string) {
	for i := 0; i < len(c.Args) && len(all) <= n; i++ {
		if i > 0 {
			all += ", "
		}
		all += pair(&c.Args[i], maxWhat)
	}
	return all
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

// maxToolName limits the name of a tool, in bytes. Providers accept 64 to 128 letters, digits,
// underscores and dashes.
const maxToolName = 128

// toolName returns the name of a tool as it may begin an entry: characters that are not allowed in
// tool names become underscores, so that no name imitates one of our labels. Many scripts spell
// vowels as marks.
func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 128 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			r == '_' || r == '-' || r == '.' || r == '/') ||
			r >= 128 && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return '_'
		}
		return r
	}, excerpt.Head(name, maxToolName))
	if name == "" {
		return "tool"
	}
	return name
}

// ToolName returns the name of a call's tool as records spell it.
func ToolName(c *transcript.Call) string { return toolName(c.Name) }

// subject returns what distinguishes a call from others of its tool: the command that it runs, the
// files that it names, or else its arguments.
func subject(c *transcript.Call, dir string, n int) string {
	switch c = telling(c); {
	case c.Command != "":
		beside := besideCommand(c, n/2)
		return excerpt.Quote(c.Command, max(0, n-len(beside))) + beside
	case c.SearchPattern() != "": // and where
		parts := append([]string{c.SearchPattern()}, pathsIn(dir, c)...)
		return excerpt.Quote(strings.Join(parts, ", "), n)
	case len(c.Paths) == 1 && pathSaysAll(c):
		return shortPath(under(dir, c.Paths[0].Name), n)
	case len(c.Paths) > 1:
		return excerpt.Quote(strings.Join(pathsIn(dir, c), ", "), n)
	case len(c.Args) == 1 && (c.Args[0].Quoted || c.Args[0].Key == ""):
		return excerpt.Quote(c.Args[0].Text, n)
	}
	return pairs(c, n)
}

// pathSaysAll reports whether the files that a call names say all about it that a record needs.
// What a tool in no table does with further arguments, such as the cells of a sheet, may be in them
// alone.
func pathSaysAll(c *transcript.Call) bool {
	return len(c.Paths) > 1 || len(c.Paths) == 1 &&
		(c.Known() || len(c.Args) == 1 || c.Paths[0].Patch != "")
}

// pathsIn returns the files that a call names, relative to dir.
func pathsIn(dir string, c *transcript.Call) []string {
	names := make([]string, len(c.Paths))
	for i := range c.Paths {
		names[i] = under(dir, c.Paths[i].Name)
	}
	return names
}

// shortPath shortens a path to about n bytes by leaving out folders at its beginning, never the
// name of the file.
func shortPath(path string, n int) string {
	path = excerpt.Line(path)
	if len(path) <= n {
		return path
	}
	rest := path
	for len(rest) > n {
		i := strings.IndexByte(rest[1:], reference.Separator(path))
		if i < 0 {
			break
		}
		rest = rest[1+i:]
	}
	if rest == path {
		return path
	}
	return "…" + rest
}

// under returns a path relative to dir if it is inside it.
func under(dir, path string) string {
	if n := len(dir); n > 0 && len(path) > n+1 && path[:n] == dir &&
		path[n] == reference.Separator(dir) {
		return path[n+1:]
	}
	return path
}

// inside returns a folder as the beginning of the paths in it.
func inside(dir string) string { return dir + string(reference.Separator(dir)) }

// directory returns the folder that the record's paths are relative to: the deepest folder, at
// least two levels below the root, that contains nearly all of them. It returns "" if no folder
// contains several, or if a path is relative.
func directory(paths []string) string {
	held := map[string]int{} // the number of paths in each folder
	for _, p := range paths {
		if !reference.Absolute(p) {
			return "" // it may be relative to another folder
		}
		between := reference.Separator(p)
		names := 0
		for i := 1 + strings.IndexByte(p, between); i < len(p); i++ {
			if p[i] != between {
				continue
			}
			if names++; names >= 2 {
				held[p[:i]]++
			}
		}
	}
	most := 0
	for _, n := range held {
		most = max(most, n)
	}
	best := ""
	for dir, n := range held {
		if n > 2 && n*10 >= most*9 &&
			(len(dir) > len(best) || len(dir) == len(best) && dir < best) {
			best = dir
		}
	}
	return best
}
