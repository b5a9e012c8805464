package groundcheck

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const useForm = `([^(),:]+) (?:(\d+)× \(last (\d+)\)|\((\d+)\))`

var (
	usesForm    = regexp.MustCompile(`^` + useForm + `(?:, ` + useForm + `)*: `)
	oneUse      = regexp.MustCompile(useForm)
	patchHeader = regexp.MustCompile(`(?m)^(\*\*\* Add File: |\*\*\* Update File: |\*\*\* Delete ` +
		`File: |\*\*\* Move to: |\+\+\+ b/)(.+?)\s*$`)
)

// header is a line in which a patch names a file.
type header struct{ put, path string }

var headerPuts = map[string]string{
	"*** Add File: ": "add", "*** Update File: ": "update", "*** Delete File: ": "delete",
	"*** Move to: ": "move to", "+++ b/": "update",
}

// operations are the types of OpenAI's hosted patches, which name their only file in a member.
var operations = map[string]string{"create_file": "add", "update_file": "update",
	"delete_file": "delete"}

// patched returns the headers of the patches among the call's arguments.
func (k *call) patched() (headers []header) {
	var hosted struct{ Type, Path string }
	if k.tool == "apply_patch" && json.Unmarshal([]byte(k.raw), &hosted) == nil {
		if put := operations[hosted.Type]; put != "" && hosted.Path != "" {
			return []header{{put, hosted.Path}}
		}
	}
	for _, a := range k.args {
		if !strings.Contains(a.text, "*** Begin Patch") && !strings.Contains(a.text, "\n+++ b/") {
			continue
		}
		for _, found := range patchHeader.FindAllStringSubmatch(a.text, -1) {
			put := headerPuts[found[1]]
			if n := len(headers); put == "move to" && n > 0 {
				headers[n-1].put = "move from"
			}
			headers = append(headers, header{put, strings.TrimSpace(found[2])})
		}
	}
	return headers
}

// headerPaths returns the files that patches name, each once.
func (k *call) headerPaths() (paths []string) {
	seen := map[string]bool{}
	for _, h := range k.patched() {
		if !seen[h.path] {
			seen[h.path] = true
			paths = append(paths, h.path)
		}
	}
	return paths
}

// changedFile checks an entry of one file: "edit 2× (last 9), read (3): main.go".
func (c *checker) changedFile(text string) bool {
	uses, path, ok := usesOf(text)
	if !ok || nextItem(path) >= 0 {
		return false
	}
	c.file(path, uses)
	return true
}

// usesOf splits "edit (7), read (3): main.go".
func usesOf(text string) (uses, path string, ok bool) {
	found := usesForm.FindStringIndex(text)
	if found == nil {
		return "", "", false
	}
	return text[:found[1]-len(": ")], text[found[1]:], true
}

// nextItem returns where the next file of an entry begins after a "; ", -1 if there is none.
func nextItem(text string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], "; ")
		if at < 0 {
			return -1
		}
		from += at + len("; ")
		if _, _, ok := usesOf(text[from:]); ok {
			return from
		}
	}
}

// readFiles checks an entry of several files: "read (3): a.go; view 2× (last 7): b.go".
func (c *checker) readFiles(text string) bool {
	type item struct{ path, uses string }
	var items []item
	for text != "" {
		uses, path, ok := usesOf(text)
		if !ok {
			return false
		}
		text = ""
		if next := nextItem(path); next >= 0 {
			path, text = path[:next-len("; ")], path[next:]
		}
		items = append(items, item{path, uses})
	}
	for _, i := range items {
		c.file(i.path, i.uses)
	}
	return len(items) > 0
}

// repairedFile checks a file that was added to a record: one call names it.
func (c *checker) repairedFile(text string) bool {
	uses, path, ok := usesOf(text)
	if !ok {
		return false
	}
	c.count(KindFile)
	use := oneUse.FindStringSubmatch(uses)
	number, _ := strconv.Atoi(use[4])
	for _, k := range c.callsOf(0, number, use[1]) {
		if k.names(path, use[1]) || k.patches(path) {
			return true
		}
	}
	c.fault(RuleFile, "message %d names no such file: %s", number, excerpt(text))
	return true
}

// file checks which tools named a file, how often and when last, not counting failed calls.
func (c *checker) file(path, uses string) {
	c.count(KindFile)
	if c.rec.seen["\x00"+path] {
		c.fault(RuleTwice, "the file %s", excerpt(path))
	}
	c.rec.seen["\x00"+path] = true
	spelled := c.spellings(path)
	for _, u := range oneUse.FindAllStringSubmatch(uses, -1) {
		c.use(path, spelled, u)
	}
}

// use checks one "edit 2× (last 9)" of a file; u holds the groups of useForm.
func (c *checker) use(path string, spelled []string, u []string) {
	tool := strings.TrimSpace(u[1])
	statedTimes, statedLast := "1", u[4]
	if statedLast == "" {
		statedTimes, statedLast = u[2], u[3]
	}
	times, _ := strconv.Atoi(statedTimes)
	last, _ := strconv.Atoi(statedLast)
	if c.commandUse(path, tool, times, last) {
		return
	}
	n, at := 0, 0
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		named := slices.ContainsFunc(spelled, func(s string) bool { return k.names(s, tool) })
		if named && !k.hosted && !k.ended().unsure() {
			n++
			at = k.caller.number
		}
	}
	switch {
	case n == 0:
		c.fault(RuleFile, "no %s names %s and went well", tool, excerpt(path))
	case n != times || at != last:
		c.fault(RuleUses, "%s: %s %d times, last in message %d; want %d times, last in message %d",
			excerpt(path), tool, times, last, n, at)
	}
}

// spellings returns the ways in which calls may name a path of a record: as it is, absolute, and
// with the folders that the record left out.
func (c *checker) spellings(path string) []string {
	if strings.HasPrefix(path, "…") {
		var all []string
		for _, k := range c.client.between(c.rec.first, c.rec.last) {
			for _, a := range k.args {
				if isTailOf(path, a.text) {
					all = append(all, strings.TrimSpace(a.text))
				}
			}
		}
		return append(all, path)
	}
	if strings.HasPrefix(path, "/") {
		return []string{path}
	}
	if c.rec.folder != "" {
		return []string{c.rec.folder + path, path, "./" + path}
	}
	return []string{path, "./" + path}
}

// names reports whether a call of a tool, or a patch with that action, names a file.
func (k *call) names(path, tool string) bool {
	if put, ok := strings.CutPrefix(tool, "patch "); ok {
		last := ""
		for _, h := range k.patched() {
			if matches(path, fold(h.path)) {
				last = h.put
			}
		}
		return last == put
	}
	if name, action, ok := strings.Cut(tool, " "); ok && slices.ContainsFunc(k.args,
		func(a argument) bool { return a.path == "command" && a.text == action }) {
		tool = name
	}
	if !matches(tool, fold(k.tool)) {
		return false
	}
	for _, a := range k.args {
		if a.word && matches(path, fold(a.text)) {
			return true
		}
	}
	return false
}

// patches reports whether a patch of the call names a file.
func (k *call) patches(path string) bool {
	for _, h := range k.patched() {
		if matches(path, fold(h.path)) {
			return true
		}
	}
	return false
}

// namedFiles returns the most files that calls in the record's span can name: arguments of one line
// with a slash or a dot, or with a parameter name for a path or a file.
func (c *checker) namedFiles() int {
	named := map[string]bool{}
	for _, k := range c.client.between(c.rec.first, c.rec.last) {
		for _, a := range k.args {
			if name := strings.ToLower(a.name + " " + a.leaf); a.word &&
				!strings.Contains(a.text, "\n") &&
				(strings.ContainsAny(a.text, "/.") || strings.Contains(name, "path") ||
					strings.Contains(name, "file")) {
				named[strings.TrimSpace(a.text)] = true
			}
		}
		for _, path := range append(k.headerPaths(), k.commandWords()...) {
			named[path] = true
		}
	}
	return len(named)
}

var laterForm = regexp.MustCompile(`^, later (\S+) of this file \((\d+)\)$`)

// laterUse checks that a later call of the same tool used the file of a failed one.
func (c *checker) laterUse(cl claim) {
	found := laterForm.FindStringSubmatch(cl.later)
	if found == nil {
		return
	}
	number, _ := strconv.Atoi(found[2])
	for _, k := range c.callsOf(0, number, found[1]) {
		for _, name := range []string{cl.what, c.rec.folder + cl.what} {
			if number > cl.of.caller.number && !k.ended().failed &&
				(k.names(name, found[1]) || k.patches(name)) {
				return
			}
		}
	}
	c.fault(RuleFile, "message %d: no later %s of the file in message %d", cl.of.caller.number,
		found[1], number)
}
