package groundcheck

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// todoItem is an item of the agent's list.
type todoItem struct {
	id, text, status string
	at               int // the message that last set it
}

var (
	todoForm    = regexp.MustCompile(`^todo (?:#(\d+) )?(open|in progress|done) \((\d+)\): (.*)$`)
	createdForm = regexp.MustCompile(`#(\d{1,12})`)
)

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
func (k *call) plainTool() string {
	name := strings.ToLower(k.tool)
	name = name[strings.LastIndex(name, "__")+1:]
	name = name[strings.LastIndex(name, ".")+1:]
	return separators.Replace(name)
}

var separators = strings.NewReplacer("_", "", "-", "")

// keepsList reports whether the call sets or changes the todo list.
func (k *call) keepsList() bool {
	name := k.plainTool()
	return listTools[name] || name == "taskcreate" || name == "taskupdate"
}

// list returns the todo list after the calls up to the record's end.
func (c *checker) list() (items []todoItem) {
	for _, k := range c.client.between(1, c.rec.last) {
		if k.ended().unsure() {
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
				if found := createdForm.FindStringSubmatch(k.result.text()); found != nil {
					id = found[1]
				}
				items = append(items, todoItem{id, text, "open", k.caller.number})
			}
		case name == "taskupdate":
			items = k.update(items)
		}
	}
	return items
}

// since returns a list whose items are as old as the same ones before.
func since(items, before []todoItem) []todoItem {
	for i := range items {
		for _, old := range before {
			if items[i].id == old.id && items[i].text == old.text &&
				items[i].status == old.status {
				items[i].at = old.at
				break
			}
		}
	}
	return items
}

// argument returns the first argument of one of these names.
func (k *call) argument(names ...string) string {
	for _, name := range names {
		for _, a := range k.args {
			if a.name == name && a.leaf == name {
				return a.text
			}
		}
	}
	return ""
}

// update changes the item that the call names.
func (k *call) update(items []todoItem) []todoItem {
	items = append([]todoItem{}, items...)
	id := k.argument("taskId")
	for i := range items {
		if items[i].id == "" || items[i].id != id {
			continue
		}
		if text := k.argument("subject", "title"); text != "" {
			items[i].text, items[i].at = text, k.caller.number
		}
		if state, known := listStates[strings.ToLower(k.argument("status"))]; known {
			items[i].status, items[i].at = state, k.caller.number
		}
		break
	}
	return without(items)
}

// without returns a list without the removed items.
func without(items []todoItem) (left []todoItem) {
	for _, item := range items {
		if item.status != "" {
			left = append(left, item)
		}
	}
	return left
}

// merged returns a list updated with the items of another one, matched by their ids.
func merged(items, newer []todoItem) []todoItem {
	items = append([]todoItem{}, items...)
	for _, item := range newer {
		at := -1
		for i := range items {
			if items[i].id != "" && items[i].id == item.id {
				at = i
			}
		}
		switch {
		case at < 0:
			items = append(items, item)
		case item.text == "":
			item.text = items[at].text
			fallthrough
		default:
			items[at] = item
		}
	}
	return without(items)
}

// wholeList reads the list among the call's arguments.
func (k *call) wholeList() (items []todoItem, ok bool) {
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
					items = append(items, todoItem{text: box[2], status: boxStates[box[1]],
						at: k.caller.number})
				}
				return items, true
			}
			if words := wordForm.FindAllStringSubmatch(spelled, -1); words != nil {
				for _, w := range words {
					items = append(items, todoItem{text: w[2], status: listStates[w[1]],
						at: k.caller.number})
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
		item := todoItem{at: k.caller.number}
		for _, name := range []string{"content", "step", "title", "description"} {
			if text, is := member[name].(string); is {
				item.text = text
				break
			}
		}
		switch id := member["id"].(type) {
		case string:
			item.id = id
		case float64:
			item.id = strconv.FormatFloat(id, 'f', -1, 64)
		}
		state, _ := member["status"].(string)
		item.status = listStates[strings.ToLower(state)]
		items = append(items, item)
	}
	return items, ok
}

// todo checks an item of the list against the state after the last call that set it.
func (c *checker) todo(text string) bool {
	found := todoForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindTodo)
	if done := found[2] == "done"; c.rec.section != alsoTitle &&
		done != (c.rec.section == doneTitle) {
		c.fault(RuleTodo, "it stands under %q: %s", c.rec.section, excerpt(text))
	}
	var near todoItem
	for _, item := range c.list() {
		if !quotesAny(found[4], item.text) {
			continue
		}
		near = item
		if item.status == found[2] && strconv.Itoa(item.at) == found[3] &&
			(found[1] == "" || found[1] == item.id) {
			return true
		}
	}
	if near.text == "" {
		c.fault(RuleTodo, "no such item: %s", excerpt(text))
	} else {
		c.fault(RuleTodo, "it is %s since message %d: %s", near.status, near.at, excerpt(text))
	}
	return true
}

// items counts the items of the list that were done in the record's span, or that are not done.
func (c *checker) items(done bool) (n int) {
	for _, item := range c.list() {
		if is := item.status == "done"; is == done && (!done || item.at >= c.rec.first) {
			n++
		}
	}
	return n
}

// The beginnings of the entry of the last call.
const (
	lastForm  = "last call: "
	asideForm = "last call beside those on the todo list: "
)

// lastCall checks which call was the last one.
func (c *checker) lastCall(text string) bool {
	rest, ok := strings.CutPrefix(text, lastForm)
	aside := false
	if !ok {
		rest, aside = strings.CutPrefix(text, asideForm)
		ok = aside
	}
	calls := slices.DeleteFunc(c.client.between(1, c.rec.last), func(k *call) bool {
		return k.notice != ""
	})
	for n := len(calls); aside && n > 0 && calls[n-1].keepsList(); n-- {
		calls = calls[:n-1]
	}
	if listed, short := strings.CutSuffix(rest, ", listed below"); ok && short {
		return c.lastBelow(listed, calls)
	}
	found := callForm.FindStringSubmatch(rest)
	if !ok || found == nil || !strings.HasSuffix(found[4], ")") {
		return false
	}
	c.count(KindLastCall)
	number, _ := strconv.Atoi(found[2])
	if len(calls) == 0 || calls[len(calls)-1].caller.number != number {
		c.fault(RuleLatest, "message %d does not make the last call", number)
		return true
	}
	for _, k := range c.callsOf(0, number, found[3]) {
		if k.calledWith(strings.TrimSuffix(found[4], ")"), c.rec.folder) {
			return true
		}
	}
	c.fault(RuleCall, "message %d makes no such call: %s", number, excerpt(text))
	return true
}

// lastBelow checks that the last of these calls is listed in a later line of the record, which is
// checked by itself. listed is its message with its tool.
func (c *checker) lastBelow(listed string, calls []*call) bool {
	c.count(KindLastCall)
	if len(calls) == 0 {
		c.fault(RuleLatest, "there is no call")
		return true
	}
	last := calls[len(calls)-1]
	if want := strconv.Itoa(last.caller.number) + " " + fold(last.tool); !matches(listed, want) {
		c.fault(RuleLatest, "%s is not the last call, but %s", listed, want)
	}
	for _, l := range c.rec.lines[c.line:] {
		found := callForm.FindStringSubmatch(strings.TrimPrefix(l, "- "))
		if found != nil && strings.HasPrefix(l, "- "+listed+"(") &&
			len(claimsOf(found[4], c.rec.folder, []*call{last})) > 0 {
			return true
		}
	}
	c.fault(RuleCall, "no line lists the call: %s", listed)
	return true
}
