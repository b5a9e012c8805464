package transcript

import (
	"encoding/json"
	"strings"

	"killick/rawjson"
	"killick/transcript/script"
	"killick/view"
)

// Some tools do several tasks in one call and answer with a list of their results:
// [{"query":"…","result":"…","error":"…","success":false}, …], or with one such object (Cline
// 3.0.65). The members beside the results belong to the agent's frame.

// item is the result of one task.
type item struct {
	query, result, failure string
	failed                 bool
}

// itemStarts are the beginnings of such lists.
var itemStarts = []string{`[{"query":`, `{"query":`}

// itemTools are Cline's tools that answer so, as toolName spells them.
var itemTools = set("runcommands", "readfiles", "searchcodebase", "fetchwebcontent", "editor",
	"applypatch")

// listsItems reports whether a result may be such a list, judging by its beginning.
func listsItems(head string) bool {
	return strings.HasPrefix(head, itemStarts[0]) || strings.HasPrefix(head, itemStarts[1])
}

// itemsOf reads such a list. ok is false if an element has another form.
func itemsOf(text string) (items []item, ok bool) {
	if !listsItems(text) {
		return nil, false
	}
	if text[0] == '{' {
		text = "[" + text + "]"
	}
	list := rawjson.Value(text)
	if !json.Valid(list) {
		return nil, false
	}
	for el := range list.Elements() {
		query, result, success := el.Get("query"), el.Get("result"), el.Get("success")
		if query.Kind() != rawjson.String || result == nil || success.Kind() != rawjson.Bool {
			return nil, false
		}
		items = append(items, item{
			query: query.Text(), result: partsText(result), failure: el.Get("error").Text(),
			failed: string(success) == "false",
		})
	}
	return items, len(items) > 0
}

// partsText returns the text of a string, or the texts of a list of parts.
func partsText(v rawjson.Value) string {
	if v.Kind() != rawjson.Array {
		return v.Text()
	}
	var texts []string
	for part := range v.Elements() {
		if text := part.Get("text"); text.Kind() == rawjson.String {
			texts = append(texts, text.Text())
		}
	}
	return strings.Join(texts, "\n")
}

// stillRunning begins the result of a command that Cline (3.0.65) lets run on.
const stillRunning = "[Command is still running. Output will continue in "

// statusOfItems returns how a call with several tasks ended. It failed if one of its commands
// failed, or all of its other tasks; if only some of these failed, the status is unknown.
func statusOfItems(items []item, runs bool) (status Status, code int) {
	failed, running := 0, false
	code = -1
	for _, i := range items {
		if !i.failed {
			running = running || runs && strings.HasPrefix(i.result, stillRunning)
			continue
		}
		failed++
		if n, by, ok := exitCode(i.result, ""); ok && by == clineFrame {
			code = n
		}
	}
	switch {
	case failed == 0 && running:
		return Unknown, -1
	case failed == 0:
		return OK, -1
	case runs:
		return Failed, code
	case failed == len(items):
		return Failed, -1
	}
	return Unknown, -1
}

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
	if c.Via != nil || !taskTools[c.tool] || !listsItems(headOf(m)) {
		return
	}
	items, ok := itemsOf(strings.TrimSpace(m.Text()))
	if !ok {
		return
	}
	nested := c.tasks(len(items))
	outer := *c
	for k := range nested {
		n, i := &nested[k], items[k:k+1]
		if !n.isQuery(i[0].query) {
			return
		}
		n.Via, n.Result, n.part = &outer, c.Result, k+1
		n.Status, n.Exit = statusOfItems(i, n.Effect == Runs)
		n.printed = outputOfItems(i)
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

// appendOutput appends the result of a task, without its frame, or else why it failed.
func (i *item) appendOutput(b *strings.Builder) {
	text := i.result
	if _, by, framed := exitCode(text, ""); framed && by == clineFrame {
		_, text, _ = strings.Cut(text, "\n")
	}
	if strings.TrimSpace(text) == "" {
		text = i.failure
	}
	b.WriteString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
}

// outputOfItems returns the results of all tasks, each on its own lines. Those that failed come
// last: the end is quoted beside their exit code.
func outputOfItems(items []item) string {
	var b strings.Builder
	for _, failed := range []bool{false, true} {
		for _, i := range items {
			if i.failed == failed {
				i.appendOutput(&b)
			}
		}
	}
	return b.String()
}
