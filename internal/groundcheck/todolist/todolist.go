// Package todolist follows an agent's list of what is to do through the calls that set it. It sees
// no record, and shares no code with the packages that write records.
package todolist

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"killick/internal/groundcheck/conversation"
)

// Item is an item of the agent's list.
type Item struct {
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
func plainTool(k *conversation.Call) string {
	name := strings.ToLower(k.Tool)
	name = name[strings.LastIndex(name, "__")+1:]
	name = name[strings.LastIndex(name, ".")+1:]
	return separators.Replace(name)
}

var separators = strings.NewReplacer("_", "", "-", "")

// IsSetBy reports whether a call sets or changes the list.
func IsSetBy(k *conversation.Call) bool {
	name := plainTool(k)
	return listTools[name] || name == "taskcreate" || name == "taskupdate"
}

// After returns the list after some calls.
func After(calls []*conversation.Call) (items []Item) {
	for _, k := range calls {
		if k.Ended().Unsure() {
			continue
		}
		switch name := plainTool(k); {
		case listTools[name]:
			if set, ok := wholeList(k); ok && k.Named("merge") == "true" {
				items = since(merged(items, set), items)
			} else if ok {
				items = since(without(set), items)
			}
		case name == "taskcreate":
			if text := k.Named("subject", "title"); text != "" {
				id := ""
				if found := createdForm.FindStringSubmatch(k.Result.Text()); found != nil {
					id = found[1]
				}
				items = append(items, Item{id, text, "open", k.Caller.Number})
			}
		case name == "taskupdate":
			items = update(items, k)
		}
	}
	return items
}

// since returns a list whose items are as old as the same ones before.
func since(items, before []Item) []Item {
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

// update changes the item that a call names.
func update(items []Item, k *conversation.Call) []Item {
	items = append([]Item{}, items...)
	id := k.Named("taskId")
	for i := range items {
		if items[i].ID == "" || items[i].ID != id {
			continue
		}
		if text := k.Named("subject", "title"); text != "" {
			items[i].Text, items[i].At = text, k.Caller.Number
		}
		if state, known := listStates[strings.ToLower(k.Named("status"))]; known {
			items[i].Status, items[i].At = state, k.Caller.Number
		}
		break
	}
	return without(items)
}

// without returns a list without the removed items.
func without(items []Item) (left []Item) {
	for _, item := range items {
		if item.Status != "" {
			left = append(left, item)
		}
	}
	return left
}

// merged returns a list updated with the items of another one, matched by their ids.
func merged(items, newer []Item) []Item {
	items = append([]Item{}, items...)
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

// wholeList reads the list among the arguments of a call.
func wholeList(k *conversation.Call) (items []Item, ok bool) {
	var given map[string]json.RawMessage
	if json.Unmarshal([]byte(k.Raw()), &given) != nil {
		return nil, false
	}
	var list []map[string]any
	for _, name := range []string{"todos", "plan", "todoList", "checklist"} {
		value := given[name]
		var spelled string
		if json.Unmarshal(value, &spelled) == nil && spelled != "" {
			if items, ok := written(spelled, k.Caller.Number); ok {
				return items, true
			}
			value = json.RawMessage(spelled)
		}
		if json.Unmarshal(value, &list) == nil {
			ok = true
			break
		}
	}
	for _, member := range list {
		items = append(items, itemOf(member, k.Caller.Number))
	}
	return items, ok
}

// written reads a list in Markdown, or one of Droid's. ok is false if the text is neither.
func written(text string, at int) (items []Item, ok bool) {
	boxes := boxForm.FindAllStringSubmatch(text, -1)
	for _, box := range boxes {
		items = append(items, Item{Text: box[2], Status: boxStates[box[1]], At: at})
	}
	if boxes != nil {
		return items, true
	}
	words := wordForm.FindAllStringSubmatch(text, -1)
	for _, w := range words {
		items = append(items, Item{Text: w[2], Status: listStates[w[1]], At: at})
	}
	return without(items), words != nil
}

// itemOf reads an item that is an object.
func itemOf(member map[string]any, at int) Item {
	item := Item{At: at}
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
	return item
}
