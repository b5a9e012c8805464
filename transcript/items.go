package transcript

import (
	"encoding/json"
	"strings"

	"killick/rawjson"
	"killick/transcript/results"
	"killick/transcript/script"
	"killick/view"
)

// Of a call that reads several files, or runs several commands, each task counts as a call of its
// own that is nested in it, like the calls of a script.

// taskTools are the tools whose tasks count so, as toolName spells them.
var taskTools = set("runcommands", "readfiles")

// maxTasks limits the tasks that count as calls: a call takes several times the memory of its JSON.
// maxAround limits what is around the list of tasks, in bytes: each of these calls has it too.
const (
	maxTasks  = 100
	maxAround = 100
)

// readItems reads the tasks of a call as calls if m, its result, states how each of them ended.
func (c *Call) readItems(m *view.Message) {
	if c.Via != nil || !taskTools[c.tool] {
		return
	}
	items := results.Items(m)
	nested := c.tasks(len(items))
	outer := *c
	for k := range nested {
		n, item := &nested[k], &items[k]
		if !n.isQuery(item.Query) {
			return
		}
		n.Via, n.Result, n.part = &outer, c.Result, k+1
		n.Status, n.Exit = item.Status(n.Effect == Runs)
		n.printed = item.Output()
	}
	if len(nested) > 1 {
		outer.script = &scripted{
			program: script.Program{Complete: true},
			nested:  nested, divided: true, done: true, tasks: true,
		}
		c.script = outer.script
	}
}

// tasks returns n calls that each do one task of a call, nil if it has another number of tasks. The
// tasks are the only argument, a list.
func (c *Call) tasks(n int) (calls []Call) {
	list := rawjson.Value(strings.TrimSpace(c.Raw))
	if n > maxTasks || !json.Valid(list) {
		return nil
	}
	members := 0
	for _, member := range list.Members() {
		list = member
		members++
	}
	begin, end := strings.IndexByte(c.Raw, '['), strings.LastIndexByte(c.Raw, ']')
	if members > 1 || list.Kind() != rawjson.Array || end < begin ||
		begin+len(c.Raw)-end > maxAround { // which each task has
		return nil
	}
	for task := range list.Elements() {
		if len(calls) == n {
			return nil
		}
		raw := c.Raw[:begin+1] + string(task) + c.Raw[end:]
		calls = append(calls, readCall(c.Name, raw, c.Caller))
	}
	if len(calls) < n {
		return nil
	}
	return calls
}

// isQuery reports whether an item of a result is that of this call: it states the command, or the
// file, which may be followed by the lines, as in "a.go:3-6".
func (c *Call) isQuery(query string) bool {
	if c.Effect == Runs {
		return c.Command != "" && c.Command == strings.TrimSpace(query)
	}
	if len(c.Paths) != 1 {
		return false
	}
	lines, ok := strings.CutPrefix(query, c.Paths[0].Name)
	return ok && (lines == "" || lines[0] == ':')
}
