package compactor

import (
	"strings"

	"killick/chat"
)

// readFiles fills in the files from the arguments of calls, which name them
// exactly; reads are kept apart from writes.
func (x *extraction) readFiles(calls []call) {
	var files, reads fileList
	for i := range calls {
		c := &calls[i]
		if c.failed {
			continue
		}
		switch c.kind {
		case callWrites:
			for _, p := range c.paths {
				f := files.touch(p)
				f.note(c)
			}
		case callReads:
			for _, p := range c.paths {
				if hasExtension(p) || strings.Contains(p, "/") {
					reads.touch(p).Reads++
				}
			}
		case callRuns:
			for _, p := range commandWrites(c.command) {
				files.touch(p).Edits++
			}
		}
	}
	x.Files = files.newestFirst()
	x.Reads = without(reads.newestFirst(), func(f File) bool { return files.has(f.Path) })
}

// note records what a call did to the file.
func (f *File) note(c *call) {
	words := nameWords(c.name)
	switch {
	case has(words, "delete") || has(words, "remove"):
		f.Deleted = true
		return
	case f.Edits == 0 && (has(words, "write") || has(words, "create")):
		f.Created = true
	}
	f.Deleted = false
	f.Edits++
	args := chat.Value(strings.TrimSpace(c.args))
	added := firstText(args, "new_string", "new_str", "replace", "replacement", "newText", "new_text", "content", "insert", "text")
	f.Detail = telling(added)
}

// telling returns the first line of a new text that says something: not a
// bracket, not a comment mark alone.
func telling(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= 8 {
			return oneLine(line, 80)
		}
	}
	return ""
}

// commandWrites returns the files that a shell command writes, moves or
// removes, as far as its words tell.
func commandWrites(command string) (paths []string) {
	first, _, _ := strings.Cut(command, "\n") // a here-document's body names no files
	fields := strings.Fields(first)
	verb := ""
	for i, word := range fields {
		switch {
		case word == "&&" || word == ";" || word == "|" || word == "||":
			verb = ""
			continue
		case word == ">" || word == ">>":
			if i+1 < len(fields) {
				paths = appendFile(paths, fields[i+1])
			}
			continue
		case verb == "":
			verb = word
			if verb == "git" && i+1 < len(fields) {
				verb = fields[i+1]
			}
			continue
		case strings.HasPrefix(word, "-"):
			continue
		}
		switch verb {
		case "rm", "mv", "touch", "tee":
			if word != verb {
				paths = appendFile(paths, word)
			}
		}
	}
	return paths
}

func appendFile(paths []string, word string) []string {
	word = strings.Trim(word, `"';`)
	if word == "/dev/null" || strings.HasPrefix(word, "&") || !hasExtension(word) && !strings.Contains(word, "/") {
		return paths
	}
	return appendPath(paths, word)
}

// fileList keeps files in the order in which they were touched last.
type fileList struct {
	files []File
	clock []int
	index map[string]int
	now   int
}

func (l *fileList) touch(path string) *File {
	if l.index == nil {
		l.index = map[string]int{}
	}
	i, ok := l.index[path]
	if !ok {
		i = len(l.files)
		l.index[path] = i
		l.files = append(l.files, File{Path: path})
		l.clock = append(l.clock, 0)
	}
	l.now++
	l.clock[i] = l.now
	return &l.files[i]
}

func (l *fileList) has(path string) bool {
	_, ok := l.index[path]
	return ok
}

func (l *fileList) newestFirst() []File {
	// The clock is dense: a slot for each touch puts the files in order in one pass.
	slots := make([]int, l.now+1)
	for i, at := range l.clock {
		slots[at] = i + 1
	}
	files := make([]File, 0, len(l.files))
	for at := l.now; at > 0 && len(files) < maxEntries; at-- {
		if slots[at] > 0 {
			files = append(files, l.files[slots[at]-1])
		}
	}
	return files
}

func (x *extraction) knowsFile(path string) bool {
	for _, list := range [][]File{x.Files, x.Reads} {
		for i := range list {
			if list[i].Path == path {
				return true
			}
		}
	}
	return false
}
