package probe

import (
	"cmp"
	"slices"
	"strings"

	"killick/chat"
)

// Tools are known by the words in their names.
var (
	writeWords = words(`write edit create apply patch replace insert append delete remove rename move save update modify
		multiedit strreplace overwrite put`)
	readWords = words(`read view open cat list ls glob grep find search fetch get show browse head tail tree stat todo`)
	pathKeys  = words(`path file_path filepath filename file_name file target_file targetfile notebook_path absolutepath
		absolute_path relative_path relativepath uri dest destination new_path newpath target output_file outputfile`)
	// viewing are the values of a "command" argument that make a writing tool read.
	viewing = words(`view read list undo_edit`)
)

// toolWords splits a tool's name: "mcp__fs__write_file", "strReplaceEditor" (already lower case) and "fs.write".
func toolWords(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
}

// hasWord reports whether one of the parts is in list or, for names run together, begins with a word of it.
func hasWord(parts []string, list set) bool {
	for _, p := range parts {
		if list.has(p) {
			return true
		}
	}
	return false
}

// writes reports whether the call changes a file.
func (c *call) writes() bool {
	parts := toolWords(c.name)
	return hasWord(parts, writeWords) && !viewing.has(c.args.Get("command").Text())
}

// looks reports whether a call only looks at things.
func looks(name string, args chat.Value) bool {
	parts := toolWords(name)
	return hasWord(parts, readWords) && !hasWord(parts, writeWords) || viewing.has(args.Get("command").Text())
}

// paths returns the files that the call names, patches included, at most eight.
func (c *call) paths() (out []string) {
	for key, value := range c.args.Members() {
		text := ""
		if value.Kind() == chat.String && len(value) < 1<<16 {
			text = value.Text()
		}
		switch {
		case text == "" || len(out) == maxPaths:
		case pathKeys.has(strings.ToLower(key.Text())):
			if p := strings.TrimPrefix(strings.TrimSpace(text), "file://"); plausible(p) {
				out = append(out, p)
			}
		default:
			out = append(out, patched(text)...)
		}
	}
	return out[:min(len(out), maxPaths)]
}

const maxPaths = 8

// plausible reports whether p is a path that could be asked for.
func plausible(p string) bool {
	return p != "" && len(p) < 260 && !strings.ContainsAny(p, "\n\t*{}<>|") && strings.ContainsAny(p, "./\\")
}

// patched returns the files of a patch.
func patched(text string) (out []string) {
	if !strings.Contains(text, "*** ") && !strings.Contains(text, "+++ ") {
		return nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		for _, mark := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/", "+++ "} {
			p, ok := strings.CutPrefix(line, mark)
			if !ok {
				continue
			}
			p, _, _ = strings.Cut(strings.TrimSpace(p), "\t")
			if plausible(p) && p != "/dev/null" && !slices.Contains(out, p) && len(out) < maxPaths {
				out = append(out, p)
			}
			break
		}
	}
	return out
}

// shellWrites returns the files that a shell command creates from its own text: "cat > a.go <<EOF", "… | tee b.log".
func (c *call) shellWrites() (out []string) {
	command := c.args.Get("command").Text()
	line, _, _ := strings.Cut(command, "\n")
	if len(line) > 4096 || !strings.Contains(line, "cat >") && !strings.Contains(line, "tee ") {
		return nil
	}
	fields := strings.Fields(line)
	for i, f := range fields {
		if i+1 == len(fields) || f != "tee" && (f != ">" && f != ">>" || i == 0 || fields[i-1] != "cat") {
			continue
		}
		p := strings.Trim(fields[i+1], `"';`)
		if plausible(p) && !strings.HasPrefix(p, "/dev/") && !strings.HasPrefix(p, "/tmp/") && !strings.ContainsAny(p, "$&()-") {
			out = append(out, p)
		}
	}
	return out[:min(len(out), maxPaths)]
}

// files asks for the files written, those worked on most and latest first.
func (t *transcript) files() []Question {
	type written struct {
		path, tool string
		count, at  int
	}
	byPath := map[string]*written{}
	var all []*written
	for i := range t.calls {
		c := &t.calls[i]
		if c.failed {
			continue
		}
		var paths []string
		switch {
		case c.writes():
			paths = c.paths()
		case !c.reads:
			paths = c.shellWrites()
		}
		for _, p := range paths {
			w := byPath[p]
			if w == nil {
				w = &written{path: p}
				byPath[p] = w
				all = append(all, w)
			}
			w.count++
			w.at, w.tool = c.at, c.name
		}
	}
	slices.SortStableFunc(all, func(a, b *written) int {
		return cmp.Or(cmp.Compare(min(b.count, 4), min(a.count, 4)), cmp.Compare(b.at, a.at))
	})
	var out []Question
	for _, w := range all[:min(len(all), maxFiles)] {
		out = append(out, Question{Category: Artifact, Kind: Path, Weight: 1, Expected: w.path,
			Source: "file written (" + w.tool + "): " + w.path, Prompt: "Which files were written or edited?"})
	}
	return out
}
