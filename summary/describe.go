package summary

import (
	"strings"
	"unicode"

	"killick/transcript"
)

// Describe names a call on one line of about n bytes at most: the tool and what it
// was called with, whole where there is room. Of a path it is the beginning that is
// cut, never the name of the file.
func Describe(c *transcript.Call, n int) string {
	if c == nil {
		return "a tool"
	}
	return toolName(c.Name) + "(" + what(c, "", n) + ")"
}

// maxToolName bounds the name of a tool, in bytes. Providers take 64 to 128 letters,
// digits, underscores and dashes.
const maxToolName = 128

// toolName is the name of a tool as it may begin an entry: what names are not made of
// is an underscore, so that none passes for a label of ours.
func toolName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 128 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			r == '_' || r == '-' || r == '.' || r == '/') ||
			r >= 128 && !unicode.IsLetter(r) {
			return '_'
		}
		return r
	}, head(name, maxToolName))
	if name == "" {
		return "tool"
	}
	return name
}

// ToolName returns the name of a call's tool as records have it.
func ToolName(c *transcript.Call) string { return toolName(c.Name) }

// what is the part of a call that tells it from others of its tool: what it runs, the
// files that it names, else its arguments.
func what(c *transcript.Call, dir string, n int) string {
	switch {
	case c.Command != "":
		return quoted(c.Command, n)
	case len(c.Paths) == 1:
		return shortPath(under(dir, c.Paths[0].Name), n)
	case len(c.Paths) > 1:
		names := make([]string, len(c.Paths))
		for i := range c.Paths {
			names[i] = under(dir, c.Paths[i].Name)
		}
		return quoted(strings.Join(names, ", "), n)
	case len(c.Args) == 1:
		return quoted(c.Args[0].Text, n)
	}
	pairs := make([]string, len(c.Args))
	for i := range c.Args {
		pairs[i] = line(c.Args[i].Key) + "=" + quoted(c.Args[i].Text, n)
	}
	return cut(strings.Join(pairs, ", "), n)
}

// shortPath is a path in about n bytes: folders at its beginning are left out, the
// name of the file never.
func shortPath(path string, n int) string {
	path = line(path)
	if len(path) <= n {
		return path
	}
	rest := path
	for len(rest) > n {
		i := strings.IndexByte(rest[1:], '/')
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

// workingDirectory returns the folder in which most paths that are written relative
// lie, as far as the same files are written whole too. "" if none is.
func workingDirectory(paths []string) string {
	whole := map[string][]string{} // by the name of the file
	for _, p := range paths {
		if strings.HasPrefix(p, "/") {
			base := p[strings.LastIndexByte(p, '/')+1:]
			whole[base] = append(whole[base], p)
		}
	}
	votes := map[string]int{}
	for _, p := range paths {
		p = strings.TrimPrefix(p, "./")
		at := strings.LastIndexByte(p, '/') + 1
		if at < 2 || p[0] == '/' || p[0] == '.' || len(p) == at {
			continue // whole, or a name alone
		}
		for _, w := range whole[p[at:]][:min(len(whole[p[at:]]), maxSameName)] {
			if dir, ok := strings.CutSuffix(w, "/"+p); ok && strings.Count(dir, "/") >= 2 {
				votes[dir]++
			}
		}
	}
	best := ""
	for dir, n := range votes {
		if n > votes[best] ||
			n == votes[best] && (len(dir) > len(best) || len(dir) == len(best) && dir < best) {
			best = dir
		}
	}
	return best
}

// maxSameName bounds the files of one name that are looked at.
const maxSameName = 8

// under is a path relative to dir where it lies in it.
func under(dir, path string) string {
	if dir == "" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, dir+"/"); ok && rest != "" {
		return rest
	}
	return path
}

// directory returns the folder that paths are written without: the one that paths
// written relative to it prove to be where the agent works, else the deepest one, of
// two names and more, that holds nearly all of those that lie in any. "" if none holds
// several.
func directory(paths []string) string {
	held := map[string]int{}
	if dir := workingDirectory(paths); dir != "" {
		return dir
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, "/") {
			continue
		}
		names := 0
		for i := 1; i < len(p); i++ {
			if p[i] != '/' {
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
