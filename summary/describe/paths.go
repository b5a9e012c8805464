package describe

import (
	"strings"

	"killick/reference"
	"killick/summary/excerpt"
)

// ShortPath shortens a path to about n bytes by leaving out folders at its beginning, never the
// name of the file.
func ShortPath(path string, n int) string {
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

// Under returns a path relative to dir if it is inside it.
func Under(dir, path string) string {
	if n := len(dir); n > 0 && len(path) > n+1 && path[:n] == dir &&
		path[n] == reference.Separator(dir) {
		return path[n+1:]
	}
	return path
}

// Inside returns a folder as the beginning of the paths in it.
func Inside(dir string) string { return dir + string(reference.Separator(dir)) }

// Directory returns the folder that the record's paths are relative to: the deepest folder, at
// least two levels below the root, that contains nearly all of them. It returns "" if no folder
// contains several, or if a path is relative.
func Directory(paths []string) string {
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
