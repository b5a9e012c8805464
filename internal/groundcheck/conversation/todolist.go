package conversation

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// Todo is an item of the agent's list.
type Todo struct {
	ID, Text, Status string
	At               int // the message that last set it
}

var createdForm = regexp.MustCompile(`#(\d{1,12})`)

// listTools are the tools that take the whole list.
var listTools = map[string]bool{
	"todowrite": true, "writetodos": true, "updateplan": true, "managetodolist": true,
	"updatetodolist": true, "todolist": true, "checklist": true,
}

// listStates are the words for states of items; "" removes an item.
var listStates = map[string]string{
	"in_progress": "in progress", "in-progress": "in progress", "pending": "open",
	"not-started": "open", "blocked": "open", "completed": "done", "done": "done",
	"cancelled": "", "deleted": "",
}

// boxForm matches an item of a list in Markdown.
var boxForm = regexp.MustCompile(`(?m)^\s*[-*]\s*\[([ xX~-])\]\s*(.+?)\s*$`)

// wordForm matches an item of a list of Droid's.
var wordForm = regexp.MustCompile(`(?m)^\s*\d+\. \[([a-z_-]+)\] (.+?)\s*$`)

var boxStates = map[string]string{" ": "open", "x": "done", "X": "done", "-": "in progress",
	"~": "in progress"}

// plainTool returns the name of a tool without its server, reduced to lower case letters.
func (k *Call) plainTool() string {
	name := strings.ToLower(k.Tool)
	name = name[strings.LastIndex(name, "__")+1:]
	name = name[strings.LastIndex(name, ".")+1:]
	return separators.Replace(name)
}

var separators = strings.NewReplacer("_", "", "-", "")

// KeepsList reports whether the call sets or changes the todo list.
func (k *Call) KeepsList() bool {
	name := k.plainTool()
	return listTools[name] || name == "taskcreate" || name == "taskupdate"
}

// Todos returns the todo list after some calls.
func Todos(calls []*Call) (items []Todo) {
	for _, k := range calls {
		if k.Ended().Unsure() {
			continue
		}
		switch name := k.plainTool(); {
		case listTools[name]:
			if set, ok := k.wholeList(); ok && k.argument("merge") == "true" {
				items = since(merged(items, set), items)
			} else if ok {
				items = since(without(set), items)
			}
		case name == "taskcreate":
			if text := k.argument("subject", "title"); text != "" {
				id := ""
				if found := createdForm.FindStringSubmatch(k.Result.Text()); found != nil {
					id = found[1]
				}
				items = append(items, Todo{id, text, "open", k.Caller.Number})
			}
		case name == "taskupdate":
			items = k.update(items)
		}
	}
	return items
}

// since returns a list whose items are as old as the same ones before.
func since(items, before []Todo) []Todo {
	for i := range items {
		for _, old := range before {
			if items[i].ID == old.ID && items[i].Text == old.Text &&
				items[i].Status == old.Status {
				items[i].At = old.At
				break
			}
		}
	}
	return items
}

// argument returns the first argument of one of these names.
func (k *Call) argument(names ...string) string {
	for _, name := range names {
		for _, a := range k.Args {
			if a.Name == name && a.Leaf == name {
				return a.Text
			}
		}
	}
	return ""
}

// update changes the item that the call names.
func (k *Call) update(items []Todo) []Todo {
	items = append([]Todo{}, items...)
	id := k.argument("taskId")
	for i := range items {
		if items[i].ID == "" || items[i].ID != id {
			continue
		}
		if text := k.argument("subject", "title"); text != "" {
			items[i].Text, items[i].At = text, k.Caller.Number
		}
		if state, known := listStates[strings.ToLower(k.argument("status"))]; known {
			items[i].Status, items[i].At = state, k.Caller.Number
		}
		break
	}
	return without(items)
}

// without returns a list without the removed items.
func without(items []Todo) (left []Todo) {
	for _, item := range items {
		if item.Status != "" {
			left = append(left, item)
		}
	}
	return left
}

// merged returns a list updated with the items of another one, matched by their ids.
func merged(items, newer []Todo) []Todo {
	items = append([]Todo{}, items...)
	for _, item := range newer {
		at := -1
		for i := range items {
			if items[i].ID != "" && items[i].ID == item.ID {
				at = i
			}
		}
		switch {
		case at < 0:
			items = append(items, item)
		case item.Text == "":
			item.Text = items[at].Text
			fallthrough
		default:
			items[at] = item
		}
	}
	return without(items)
}

// wholeList reads the list among the call's arguments.
func (k *Call) wholeList() (items []Todo, ok bool) {
	var given map[string]json.RawMessage
	var list []map[string]any
	if json.Unmarshal([]byte(k.raw), &given) != nil {
		return nil, false
	}
	for _, name := range []string{"todos", "plan", "todoList", "checklist"} {
		value := given[name]
		var spelled string
		if json.Unmarshal(value, &spelled) == nil && spelled != "" {
			if boxes := boxForm.FindAllStringSubmatch(spelled, -1); boxes != nil {
				for _, box := range boxes {
					items = append(items, Todo{Text: box[2], Status: boxStates[box[1]],
						At: k.Caller.Number})
				}
				return items, true
			}
			if words := wordForm.FindAllStringSubmatch(spelled, -1); words != nil {
				for _, w := range words {
					items = append(items, Todo{Text: w[2], Status: listStates[w[1]],
						At: k.Caller.Number})
				}
				return without(items), true
			}
			value = json.RawMessage(spelled)
		}
		if json.Unmarshal(value, &list) == nil {
			ok = true
			break
		}
	}
	for _, member := range list {
		item := Todo{At: k.Caller.Number}
		for _, name := range []string{"content", "step", "title", "description"} {
			if text, is := member[name].(string); is {
				item.Text = text
				break
			}
		}
		switch id := member["id"].(type) {
		case string:
			item.ID = id
		case float64:
			item.ID = strconv.FormatFloat(id, 'f', -1, 64)
		}
		state, _ := member["status"].(string)
		item.Status = listStates[strings.ToLower(state)]
		items = append(items, item)
	}
	return items, ok
}
