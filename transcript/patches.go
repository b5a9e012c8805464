package transcript

import "strings"

// patchHeads are the beginnings of the lines in which patches name files.
var patchHeads = []struct {
	head, action string
	effect       Effect
}{
	{"*** Add File: ", "add", Writes},
	{"*** Update File: ", "update", Writes},
	{"*** Delete File: ", "delete", Deletes},
	{"*** Move to: ", "move", Writes},
}

const beginPatch = "*** Begin Patch"

// patchedPaths returns the files that a patch in the arguments names: in the headers of the "***
// Begin Patch" form or of a unified diff. A patch that is written to a file changes no other file.
func (c *Call) patchedPaths() []Path {
	var p patch
	p.readHashes(c.hashPatch())
	for i := range c.Args {
		switch text := c.Args[i].Text; c.patchForm(i) {
		case beginForm:
			p.readHeads(text)
		case diffForm:
			p.readDiff(text)
		}
	}
	if c.appliesPatches() && len(p.paths) == 0 {
		if operation, ok := operations[c.text("type")]; ok {
			p.add(c.text("path"), operation.action, operation.effect)
		}
	}
	return p.paths
}

// patchForm is the notation of a patch.
type patchForm byte

const (
	noPatch   patchForm = iota
	beginForm           // "*** Begin Patch"
	diffForm            // a unified diff
)

// patchForm returns the form of the patch in argument i.
func (c *Call) patchForm(i int) patchForm {
	text := c.Args[i].Text
	if !c.Args[i].Quoted || !c.appliesPatches() &&
		!(len(c.Args) == 1 && strings.HasPrefix(strings.TrimSpace(text), beginPatch)) {
		return noPatch
	}
	if strings.Contains(text, beginPatch) {
		return beginForm
	}
	if c.Command == "" && strings.Contains(text, "\n@@") {
		return diffForm
	}
	return noPatch
}

func (c *Call) appliesPatches() bool {
	return knownTools[c.tool] == patches || strings.Contains(c.Command, "apply_patch")
}

// operations are the types of patches that name their only file in an argument.
var operations = map[string]struct {
	action string
	effect Effect
}{
	"create_file": {"add", Writes},
	"update_file": {"update", Writes},
	"delete_file": {"delete", Deletes},
}

// patch collects the files that a patch names.
type patch struct {
	paths []Path
	index map[string]int
}

// add adds a file, with the action in the header that names it.
func (p *patch) add(name, action string, effect Effect) {
	if name = strings.TrimSpace(name); !isPath(name) {
		return
	}
	if at, ok := p.index[name]; ok {
		p.paths[at].Effect, p.paths[at].Patch = effect, action
		return
	}
	if p.index == nil {
		p.index = map[string]int{}
	}
	p.index[name] = len(p.paths)
	p.paths = append(p.paths, Path{Name: name, Effect: effect, Patch: action})
}

// readHeads reads the headers of a patch of the "*** Begin Patch" form.
func (p *patch) readHeads(text string) {
	last := ""
	for line := range strings.Lines(text) {
		for _, h := range patchHeads {
			name, ok := strings.CutPrefix(line, h.head)
			if !ok {
				continue
			}
			if h.action == "move" && last != "" { // the file no longer has the old name
				p.add(last, h.action, Deletes)
			}
			p.add(name, h.action, h.effect)
			last = name
		}
	}
}

// readDiff reads the headers of a unified diff, two lines for each file.
func (p *patch) readDiff(text string) {
	before, header := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if from, ok := strings.CutPrefix(line, "--- "); ok {
			before, header = from, true
			continue
		}
		after, ok := strings.CutPrefix(line, "+++ ")
		if !ok || !header {
			header = false
			continue
		}
		header = false
		switch {
		case after == "/dev/null":
			p.add(strings.TrimPrefix(before, "a/"), "delete", Deletes)
		case before == "/dev/null":
			p.add(strings.TrimPrefix(after, "b/"), "add", Writes)
		default:
			p.add(strings.TrimPrefix(after, "b/"), "update", Writes)
		}
	}
}
