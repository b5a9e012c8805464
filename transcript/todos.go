package transcript

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"killick/rawjson"
)

// Todo is an item of the agent's own todo list.
type Todo struct {
	ID     string     `json:"id,omitempty"` // if the tool gives one
	Text   string     `json:"text"`
	Status TodoStatus `json:"status"`
	At     int        `json:"at"` // the message that last set it
}

// TodoStatus is the state of an item.
type TodoStatus string

// The statuses of an item. Canceled and deleted items are removed from the list.
const (
	TodoOpen   TodoStatus = "open"
	TodoActive TodoStatus = "in progress"
	TodoDone   TodoStatus = "done"
)

// Todos is the state of the list. The zero value is an empty one.
type Todos []Todo

// maxTodos limits the items of a list.
const maxTodos = 100

// After returns the list after a call. Calls that may have failed and calls that set no list change
// nothing. result is the text of the call's result.
func (t Todos) After(c *Call, result string) Todos {
	if c.MayHaveFailed() {
		return t
	}
	if list, ok := c.todoList(); ok {
		if c.merges() {
			list = t.merged(list)
		}
		return list[:min(len(list), maxTodos)].since(t)
	}
	switch c.tool {
	case "taskcreate":
		if text := c.text(taskTextKeys...); text != "" && len(t) < maxTodos {
			return append(slices.Clone(t),
				Todo{ID: createdID(result), Text: text, Status: TodoOpen, At: c.Caller})
		}
	case "taskupdate":
		return t.updated(c)
	}
	return t
}

// since sets At of items that were the same before to when they were set: agents send the whole
// list again for each change.
func (t Todos) since(before Todos) Todos {
	for i := range t {
		same := slices.IndexFunc(before, func(old Todo) bool {
			return old.ID == t[i].ID && old.Text == t[i].Text && old.Status == t[i].Status
		})
		if same >= 0 {
			t[i].At = before[same].At
		}
	}
	return t
}

// createdID reads the id from the result of a call that created a task: "Task #1 created
// successfully: …" (Claude Code 2.1.330), `Task #1 created: "…"` (qwen-code 0.24.4).
func createdID(result string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(result), "Task #")
	if !ok {
		return ""
	}
	n := 0
	for n < len(rest) && n < 12 && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	return rest[:n]
}

func (t Todos) updated(c *Call) Todos {
	id := ""
	if a := c.argument("taskId"); a != nil {
		id = a.Text // some models send a number
	}
	i := slices.IndexFunc(t, func(item Todo) bool { return item.ID != "" && item.ID == id })
	if i < 0 {
		return t
	}
	t = slices.Clone(t)
	if subject := c.text(taskTextKeys...); subject != "" {
		t[i].Text, t[i].At = subject, c.Caller
	}
	if word := c.text("status"); word != "" {
		status, known := todoWords[strings.ToLower(word)]
		if known && status == "" {
			return slices.Delete(t, i, i+1)
		}
		if known {
			t[i].Status, t[i].At = status, c.Caller
		}
	}
	return t
}

// merged returns the list updated with the items of newer, matched by their ids. Items of newer
// without a status are removed.
func (t Todos) merged(newer Todos) Todos {
	t = slices.Clone(t)
	for _, item := range newer {
		i := slices.IndexFunc(t, func(old Todo) bool { return old.ID != "" && old.ID == item.ID })
		switch {
		case item.Status == "":
			if i >= 0 {
				t = slices.Delete(t, i, i+1)
			}
		case i < 0 && len(t) < maxTodos && item.Text != "":
			t = append(t, item)
		case i >= 0:
			item.Text = cmp.Or(item.Text, t[i].Text)
			t[i] = item
		}
	}
	return t
}

func (c *Call) merges() bool {
	for i := range c.Args {
		if c.Args[i].Key == "merge" {
			return c.Args[i].Text == "true"
		}
	}
	return false
}

// todoTools are the tools whose argument is a whole list: TodoWrite (Claude Code 2.1.330),
// todowrite (opencode 1.18.34), todo_write (qwen-code 0.24.4), write_todos (gemini-cli 0.61.0,
// LangChain), update_plan (Codex 0.169), update_todo (Copilot CLI 1.0.102), manage_todo_list (VS
// Code Copilot), update_todo_list (Roo Code), Checklist (Continue 1.5.47), TodoList (Kimi Code
// 2.1.0).
var todoTools = set("todowrite", "writetodos", "updateplan", "updatetodo", "managetodolist",
	"updatetodolist", "checklist", "todolist")

// todoWords are the words that lists use for the status of an item; "" removes the item. Those
// without a source are used by most of the agents above.
var todoWords = map[string]TodoStatus{
	"pending": TodoOpen, "in_progress": TodoActive, "completed": TodoDone,
	"not-started": TodoOpen, "in-progress": TodoActive, // VS Code Copilot
	"blocked":   TodoOpen, // gemini-cli 0.61.0
	"done":      TodoDone, // Kimi Code 2.1.0
	"cancelled": "",       // opencode 1.18.34, gemini-cli 0.61.0, Grok Build 1.0.41
	"deleted":   "",       // TaskUpdate of Claude Code 2.1.330
}

// IsTodoStatus reports whether a word is one that lists use for the status of an item.
func IsTodoStatus(word string) bool {
	_, is := todoWords[word]
	return is
}

// The parameter names of the list, and the names of an item's text. Those without a source are used
// by most of the agents above.
var (
	todoListKeys = []string{"todos",
		"plan",      // Codex 0.169
		"todoList",  // VS Code Copilot
		"checklist", // Continue 1.5.47
	}
	todoTextKeys = []string{"content",
		"step",        // Codex 0.169
		"title",       // VS Code Copilot, Kimi Code 2.1.0
		"description", // gemini-cli 0.61.0
	}
	// of a task that a call creates or updates: Claude Code 2.1.330; qwen-code 0.24.4
	taskTextKeys = []string{"subject", "title"}
)

// todoList reads the list in the arguments of a todo or plan tool: an array of objects, each with a
// text and a status that is one of todoWords. It reports false if an element has another form.
func (c *Call) todoList() (Todos, bool) {
	if !todoTools[c.tool] {
		return nil, false
	}
	args := rawjson.Value(strings.TrimSpace(c.Raw))
	if args.Kind() == rawjson.Object {
		for _, key := range todoListKeys {
			list := args.Get(key)
			if list.Kind() == rawjson.String {
				text := strings.TrimSpace(list.Text())
				if !strings.HasPrefix(text, "[{") {
					return checklist(text, c.Caller)
				}
				list = rawjson.Value(text) // some models send the array as a string
			}
			if list.Kind() == rawjson.Array {
				return todoItems(list, c.Caller, c.merges())
			}
		}
		return nil, false
	}
	if args.Kind() != rawjson.Array {
		return nil, false
	}
	return todoItems(args, c.Caller, false)
}

// todoItems reads the items of a list. Those of a partial one may lack a text, and keep an empty
// status if they are to be removed.
func todoItems(list rawjson.Value, at int, partial bool) (Todos, bool) {
	todos := Todos{}
	n := 0
	for el := range list.Elements() {
		item, ok := todoItem(el)
		if !ok || item.Text == "" && !partial {
			return nil, false
		}
		if n++; n > maxTodos {
			break
		}
		if item.Status != "" || partial {
			item.At = at
			todos = append(todos, item)
		}
	}
	return todos, true
}

// checklist reads a list in Markdown: lines such as "- [ ] …" and "- [x] …", and "[-]" for an item
// in progress; of Droid (0.215.0) lines such as "1. [in_progress] …". It skips other lines.
func checklist(text string, at int) (Todos, bool) {
	todos := Todos{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*"))
		if ordinal, rest, ok := strings.Cut(line, ". ["); ok && len(todos) < maxTodos {
			word, text, closed := strings.Cut(rest, "] ")
			status, known := todoWords[word]
			if _, err := strconv.Atoi(strings.TrimSpace(ordinal)); err == nil && closed && known {
				if text = strings.TrimSpace(text); status != "" && text != "" {
					todos = append(todos, Todo{Text: text, Status: status, At: at})
				}
				continue
			}
		}
		if len(line) < 4 || line[0] != '[' || line[2] != ']' || len(todos) == maxTodos {
			continue
		}
		item := Todo{Text: strings.TrimSpace(line[3:]), At: at}
		switch line[1] {
		case ' ':
			item.Status = TodoOpen
		case 'x', 'X':
			item.Status = TodoDone
		case '-', '~':
			item.Status = TodoActive
		}
		if item.Status != "" && item.Text != "" {
			todos = append(todos, item)
		}
	}
	return todos, len(todos) > 0
}

func todoItem(el rawjson.Value) (item Todo, ok bool) {
	if el.Kind() != rawjson.Object {
		return item, false
	}
	for _, key := range todoTextKeys {
		if v := el.Get(key); v.Kind() == rawjson.String {
			item.Text = v.Text()
			break
		}
	}
	switch v := el.Get("id"); v.Kind() {
	case rawjson.String:
		item.ID = v.Text()
	case rawjson.Number:
		item.ID = string(v)
	}
	item.Status, ok = todoWords[strings.ToLower(el.Get("status").Text())]
	return item, ok
}

// Label returns the number of an item, as "#3", or "" if the tool gave it none.
func (t *Todo) Label() string {
	if _, err := strconv.Atoi(t.ID); err == nil {
		return "#" + t.ID
	}
	return ""
}

// SetsTodos reports whether the call maintains the agent's todo list, so that its outcome shows in
// the list.
func (c *Call) SetsTodos() bool {
	switch name := c.tool; name {
	case "taskcreate", "taskupdate", "tasklist", "taskget", "todoread", "readtodos":
		return true
	default:
		return todoTools[name]
	}
}
