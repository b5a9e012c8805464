package results

import (
	"encoding/json"
	"strings"

	"killick/rawjson"
	"killick/view"
)

// Some tools do several tasks in one call and answer with a list of their results:
// [{"query":"…","result":"…","error":"…","success":false}, …], or with one such object (Cline
// 3.0.65). The members beside the results belong to the agent's frame.

// Item is the result of one task.
type Item struct {
	Query           string // the task
	result, failure string
	failed          bool
}

// Items returns the results in such a list, nil if m is none.
func Items(m *view.Message) []Item {
	if !listsItems(Head(m)) {
		return nil
	}
	items, _ := itemsOf(strings.TrimSpace(m.Text()))
	return items
}

// Status returns how the task ended, and its exit code, -1 if none is stated. runs is set if it ran
// a command.
func (i Item) Status(runs bool) (s Status, exit int) { return statusOfItems([]Item{i}, runs) }

// Output returns what the task printed, or why it failed.
func (i Item) Output() string { return outputOfItems([]Item{i}) }

// itemStarts are the beginnings of such lists.
var itemStarts = []string{`[{"query":`, `{"query":`}

// itemTools are Cline's tools that answer so, as tables spell them.
var itemTools = set("runcommands", "readfiles", "searchcodebase", "fetchwebcontent", "editor",
	"applypatch")

// listsItems reports whether a result may be such a list, judging by its beginning.
func listsItems(head string) bool {
	return strings.HasPrefix(head, itemStarts[0]) || strings.HasPrefix(head, itemStarts[1])
}

// itemsOf reads such a list. ok is false if an element has another form.
func itemsOf(text string) (items []Item, ok bool) {
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
		items = append(items, Item{
			Query: query.Text(), result: partsText(result), failure: el.Get("error").Text(),
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
func statusOfItems(items []Item, runs bool) (status Status, code int) {
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

// appendOutput appends the result of a task, without its frame, or else why it failed.
func (i *Item) appendOutput(b *strings.Builder) {
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
func outputOfItems(items []Item) string {
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
