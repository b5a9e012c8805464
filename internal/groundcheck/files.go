package groundcheck

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

const useForm = `([^(),:×]+) (?:(\d+)× \(last (\d+)\)|\((?:last )?(\d+)\))`

var (
	usesForm = regexp.MustCompile(`^` + useForm + `(?:, ` + useForm + `)*: `)
	oneUse   = regexp.MustCompile(useForm)
)

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
	c.count(kindFile)
	use := oneUse.FindStringSubmatch(uses)
	number, _ := strconv.Atoi(use[4])
	for _, k := range c.callsOf(0, number, use[1]) {
		if namesFile(k, path, use[1]) || patchesFile(k, path) {
			return true
		}
	}
	c.fault(ruleFile, "message %d names no such file: %s", number, excerpt(text))
	return true
}

// file checks which tools named a file, how often and when last, not counting failed calls.
func (c *checker) file(path, uses string) {
	c.count(kindFile)
	if c.rec.seen["\x00"+path] {
		c.fault(ruleTwice, "the file %s", excerpt(path))
	}
	c.rec.seen["\x00"+path] = true
	spelled := c.spellings(path)
	for _, u := range oneUse.FindAllStringSubmatch(uses, -1) {
		c.use(path, spelled, u)
	}
}

// onlyShows reports whether a call asks to be shown what it would do.
func onlyShows(k *conversation.Call) bool {
	return slices.ContainsFunc(k.Args, func(a conversation.Argument) bool {
		name := strings.NewReplacer("_", "", "-", "", " ", "").Replace(a.Path)
		return strings.EqualFold(name, "dryRun") && a.Text == "true"
	})
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
	tool, least := strings.CutSuffix(tool, " at least")
	least = (least || strings.Contains(u[0], "(last ") && statedTimes == "1") && c.rec.forgets()
	if c.commandUse(path, tool, times, last) {
		return
	}
	n, at := 0, 0
	for _, k := range c.client.Between(c.rec.first, c.rec.last) {
		named := slices.ContainsFunc(spelled, func(s string) bool { return namesFile(k, s, tool) })
		if named && !k.Hosted && !k.Ended().Unsure() && !onlyShows(k) {
			n++
			at = k.Caller.Number
		}
	}
	switch {
	case n == 0:
		c.fault(ruleFile, "no %s names %s and went well", tool, excerpt(path))
	case n != times && !(least && n > times) || at != last:
		c.fault(ruleUses, "%s: %s %d times, last in message %d; want %d times, last in message %d",
			excerpt(path), tool, times, last, n, at)
	}
}

// spellings returns the ways in which calls may name a path of a record: as it is, absolute, and
// with the folders that the record left out.
func (c *checker) spellings(path string) []string {
	if strings.HasPrefix(path, "…") {
		var all []string
		for _, k := range c.client.Between(c.rec.first, c.rec.last) {
			for _, a := range k.Args {
				if isTailOf(path, a.Text) {
					all = append(all, strings.TrimSpace(a.Text))
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

// namesFile reports whether a call of a tool, or a patch with that action, names a file.
func namesFile(k *conversation.Call, path, tool string) bool {
	if put, ok := strings.CutPrefix(tool, "patch "); ok {
		last := ""
		for _, h := range k.Patched() {
			if matches(path, quoted.Fold(h.Path)) {
				last = h.Put
			}
		}
		return last == put
	}
	if name, action, ok := strings.Cut(tool, " "); ok && slices.ContainsFunc(k.Args,
		func(a conversation.Argument) bool { return a.Path == "command" && a.Text == action }) {
		tool = name
	}
	if !matches(tool, quoted.Fold(k.Tool)) {
		return false
	}
	for _, h := range k.Patched() {
		if h.Put == tool && matches(path, quoted.Fold(h.Path)) {
			return true
		}
	}
	for _, a := range k.Args {
		if a.Word && matches(path, quoted.Fold(a.Text)) {
			return true
		}
	}
	return false
}

// patchesFile reports whether a patch of the call names a file.
func patchesFile(k *conversation.Call, path string) bool {
	for _, h := range k.Patched() {
		if matches(path, quoted.Fold(h.Path)) {
			return true
		}
	}
	return false
}

// namedFiles returns the most files that calls in the record's span can name: arguments of one line
// with a slash or a dot, or with a parameter name for a path or a file.
func (c *checker) namedFiles() int {
	named := map[string]bool{}
	for _, k := range c.client.Between(c.rec.first, c.rec.last) {
		for _, a := range k.Args {
			if name := strings.ToLower(a.Name + " " + a.Leaf); a.Word &&
				!strings.Contains(a.Text, "\n") &&
				(strings.ContainsAny(a.Text, "/.") || strings.Contains(name, "path") ||
					strings.Contains(name, "file")) {
				named[strings.TrimSpace(a.Text)] = true
			}
		}
		for _, path := range append(k.HeaderPaths(), k.CommandWords()...) {
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
			if number > cl.of.Caller.Number && !k.Ended().Failed &&
				(namesFile(k, name, found[1]) || patchesFile(k, name)) {
				return
			}
		}
	}
	c.fault(ruleFile, "message %d: no later %s of the file in message %d", cl.of.Caller.Number,
		found[1], number)
}
