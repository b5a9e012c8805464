package transcript

import "strings"

// pathKeys are the names under which tools take files.
var pathKeys = set(
	"file_path", "filePath", "path", "filepath", "file", "filename", "fileName", "file_name", "target_file", "notebook_path",
	"absolute_path", "relative_path", "old_path", "new_path", "source", "destination", "paths", "files", "dir_path", "relative_workspace_path",
)

// otherKeys are names under which a text with a slash or a dot is no file.
var otherKeys = set("pattern", "regex", "query", "glob", "include", "exclude", "url", "prompt", "description", "message", "workdir", "cwd", "dir")

// maxPath bounds a path, in bytes.
const maxPath = 300

// pathArguments returns the files that the arguments name, each once.
func (c *Call) pathArguments(effect Effect) (paths []Path) {
	seen := map[string]bool{}
	for i := range c.Args {
		a := &c.Args[i]
		if !a.Quoted || otherKeys[a.leaf()] {
			continue
		}
		name := strings.TrimSpace(a.Text)
		if seen[name] || !(pathKeys[a.leaf()] || pathKeys[a.root()] && a.root() != a.leaf() && looksLikePath(name)) && !looksLikePath(name) {
			continue
		}
		if isPath(name) {
			seen[name] = true
			paths = append(paths, Path{Name: name, Effect: effect})
		}
	}
	return paths
}

// isPath reports whether a text can be a path at all: one line, no longer than
// paths are, nothing that terminals act on.
func isPath(s string) bool {
	if s == "" || len(s) > maxPath || strings.Contains(s, "://") {
		return false
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return false
		}
	}
	return true
}

// looksLikePath reports whether a text under a name that is not known is a path by
// its own shape: no space, none of the characters of patterns and code, and a slash
// or an extension.
func looksLikePath(s string) bool {
	if s == "" || len(s) > maxPath || strings.ContainsAny(s, " \t\r\n*?{}[]()<>|\"'`$;,=&!") || strings.Contains(s, "://") {
		return false
	}
	slash := strings.Contains(s, "/") && strings.Trim(s, "/") != ""
	return slash && strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) || HasExtension(s)
}

// HasExtension reports whether a name ends as file names do: a dot with one to five
// letters or digits behind it, at least one of them a letter, and a name before it.
func HasExtension(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	ext := name[dot+1:]
	if dot < 1 || len(ext) == 0 || len(ext) > 5 {
		return false
	}
	letters := 0
	for i := range len(ext) {
		switch {
		case isLetter(ext[i]):
			letters++
		case !isDigit(ext[i]):
			return false
		}
	}
	return letters > 0
}

// patchHeads begin the lines with which patches name files.
var patchHeads = []struct {
	head, put string
	effect    Effect
}{
	{"*** Add File: ", "add", Writes},
	{"*** Update File: ", "update", Writes},
	{"*** Delete File: ", "delete", Deletes},
	{"*** Move to: ", "move", Writes},
	{"+++ b/", "update", Writes},
}

// patchedPaths returns the files that a patch among the arguments names: the headers
// of the "*** Begin Patch" form and those of a unified diff.
func (c *Call) patchedPaths() (paths []Path) {
	seen := map[string]int{}
	for i := range c.Args {
		text := c.Args[i].Text
		if !c.Args[i].Quoted || !strings.Contains(text, "*** Begin Patch") && !(strings.Contains(text, "\n+++ b/") && strings.Contains(text, "\n@@")) {
			continue
		}
		for line := range strings.Lines(text) {
			for _, h := range patchHeads {
				name, ok := strings.CutPrefix(line, h.head)
				if name = strings.TrimSpace(name); !ok || !isPath(name) {
					continue
				}
				if at, known := seen[name]; known {
					paths[at].Effect, paths[at].Patch = h.effect, h.put
					continue
				}
				seen[name] = len(paths)
				paths = append(paths, Path{Name: name, Effect: h.effect, Patch: h.put})
			}
		}
	}
	return paths
}
