package compactor

import (
	"slices"
	"strings"

	"killick/chat"
)

// Todo is an item of the agent's own list of what is to be done.
type Todo struct {
	Text string `json:"text"`
	Done bool   `json:"done,omitempty"`
}

// readTodos returns the latest list that a todo or plan tool was given, what is
// under way first. ok is false if there was none. Clients name the tool and its
// members in many ways (TodoWrite, todowrite and write_todos with todos of
// content and status, update_plan with a plan of step and status), so a list is
// known by its shape: an array of objects, each with a text and a status that is
// one of the words such lists use.
func readTodos(calls []call) (todos []Todo, ok bool) {
	for i := len(calls) - 1; i >= 0; i-- {
		if c := &calls[i]; !c.failed && todoTool(c.name) {
			if todos, ok = todoList(chat.Value(strings.TrimSpace(c.args))); ok {
				return todos, true
			}
		}
	}
	return nil, false
}

func todoTool(name string) bool {
	return hasAny(nameWords(name), []string{"todo", "todos", "plan", "task", "tasks", "todowrite", "todolist", "checklist"})
}

var (
	todoLists    = []string{"todos", "plan", "items", "tasks", "steps", "todo_list", "todoList", "todo"}
	todoTexts    = []string{"content", "step", "title", "text", "task", "description", "name"}
	todoStatuses = map[string]todoStatus{
		"in_progress": todoActive, "in-progress": todoActive, "inprogress": todoActive, "active": todoActive, "doing": todoActive, "started": todoActive,
		"pending": todoOpen, "todo": todoOpen, "not_started": todoOpen, "not-started": todoOpen, "open": todoOpen, "blocked": todoOpen,
		"completed": todoDone, "complete": todoDone, "done": todoDone, "finished": todoDone,
		"cancelled": todoDropped, "canceled": todoDropped, "skipped": todoDropped, "deleted": todoDropped,
	}
)

type todoStatus byte

const (
	todoNone todoStatus = iota
	todoActive
	todoOpen
	todoDone
	todoDropped
)

func todoList(args chat.Value) ([]Todo, bool) {
	if args.Kind() == chat.Object {
		for _, key := range todoLists {
			list := args.Get(key)
			if list.Kind() == chat.String { // some models send the array as a string
				list = chat.Value(strings.TrimSpace(list.Text()))
			}
			if list.Kind() == chat.Array {
				return todoItems(list)
			}
		}
		return nil, false
	}
	if args.Kind() != chat.Array {
		return nil, false
	}
	return todoItems(args)
}

// todoItems reads the items; one that is none makes the whole something else.
func todoItems(list chat.Value) ([]Todo, bool) {
	var active, open, done []Todo
	seen := 0
	for el := range list.Elements() {
		text, status := todoItem(el)
		if status == todoNone || text == "" {
			return nil, false
		}
		if seen++; seen > maxEntries {
			break
		}
		switch status {
		case todoActive:
			active = append(active, Todo{Text: text})
		case todoOpen:
			open = append(open, Todo{Text: text})
		case todoDone:
			done = append(done, Todo{Text: text, Done: true})
		}
	}
	return slices.Concat(active, open, done), seen > 0
}

func todoItem(el chat.Value) (string, todoStatus) {
	if el.Kind() != chat.Object {
		return "", todoNone
	}
	status := todoStatuses[strings.ToLower(firstText(el, "status", "state"))]
	if status == todoNone {
		switch v := el.Get("completed"); {
		case v.Kind() != chat.Bool:
		case string(v) == "true":
			status = todoDone
		default:
			status = todoOpen
		}
	}
	return oneLine(firstText(el, todoTexts...), maxEntry), status
}

// openTodos are the texts of what is still to be done.
func openTodos(todos []Todo) (open []string) {
	for _, t := range todos {
		if !t.Done {
			open = append(open, t.Text)
		}
	}
	return open
}
