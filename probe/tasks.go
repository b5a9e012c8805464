package probe

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"killick/chat"
)

// maxTodos bounds the tasks that are asked for.
const maxTodos = 5

// placed is a sentence of a record that tells how a task of a plan stands.
type placed struct {
	task, s int
	status  int
	fit     float64 // how well the sentence and the task fit each other: shares of both, added
}

// Bounds of how a sentence fits a task.
const (
	aboutTask     = 0.6  // of a task that it has to name, where all tasks of the plan are known
	clearlyCloser = 0.1  // by which one that tells it wrong has to fit better than one that tells it right
	doubtful      = 0.15 // less than another task, untold, that would make it right
)

// tellTasks answers how the tasks of a plan stand. Tasks of one plan share many words, so each sentence goes to the task
// that it fits best, and one that fits a task well is not used up by another that is told better elsewhere. With whole set
// the tasks are all of the plan, and may be told in words that share less with their own.
func (d *document) tellTasks(tasks []Question, whole bool) []Answer {
	answers := make([]Answer, len(tasks))
	wants := make([]int, len(tasks))
	exact := make([]bool, len(tasks))
	least := aboutChecked
	if whole {
		least = aboutTask
	}
	var all []placed
	for i, q := range tasks {
		answers[i].Question = q
		var subject *claim
		subject, wants[i] = q.standing()
		if s, status := d.told(q.subject()); status != 0 {
			answers[i], exact[i] = answers[i].tell(d, s, status == wants[i]), true
			all = append(all, placed{i, s, status, exactly})
			continue
		}
		for _, w := range subject.windows(d, nil) {
			about := subject.about(d, w.from)
			if w.from != w.to || about < least {
				continue
			}
			answers[i].Score = 0.5
			if status := d.status(subject, w.from, true); status != 0 {
				all = append(all, placed{i, w.from, status, about + subject.bareIn(d, w.from)})
			}
		}
	}
	owned := assign(all)
	for i := range tasks {
		if len(owned[i]) > 0 && !exact[i] {
			answers[i] = d.settle(answers[i], i, wants, owned, all)
		}
	}
	return answers
}

// assign gives each sentence to one task, the best fits first.
func assign(all []placed) (owned map[int][]placed) {
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(b.fit, a.fit) })
	owned = map[int][]placed{}
	taken := map[int]bool{}
	for _, p := range all {
		if mine := owned[p.task]; taken[p.s] || len(mine) > 0 && p.fit < mine[0].fit-muchCloser {
			continue // "run the tests and push" is not "run the tests"
		}
		taken[p.s] = true
		owned[p.task] = append(owned[p.task], p)
	}
	return owned
}

// settle answers task i by the sentences that are its own.
func (d *document) settle(a Answer, i int, wants []int, owned map[int][]placed, all []placed) Answer {
	var right, wrong placed
	for _, p := range owned[i] { // the best fit is the first
		switch {
		case p.status == wants[i] && right.fit == 0:
			right = p
		case p.status != wants[i] && wrong.fit == 0:
			wrong = p
		}
	}
	switch {
	case right.fit > 0 && wrong.fit <= right.fit+clearlyCloser:
		return a.tell(d, right.s, true)
	case slices.ContainsFunc(all, func(p placed) bool {
		return p.s == wrong.s && p.task != i && wants[p.task] == wrong.status && len(owned[p.task]) == 0 && p.fit > wrong.fit-doubtful
	}):
		return a // it may be about that one
	}
	return a.tell(d, wrong.s, false)
}

// todo is an item of a task list.
type todo struct {
	id      int // as task tools count: from one
	subject string
	done    bool
}

// todos asks which tasks of the latest list are open and which are done, at most so many, the last first.
func (t *transcript) todos(most int) (out []Question) {
	var list []todo
	for i := range t.calls {
		list = t.calls[i].plan(list)
		if len(list) > maxPlan {
			list = list[len(list)-maxPlan:]
		}
	}
	for i := len(list) - 1; i >= 0 && len(out) < most; i-- {
		it := &list[i]
		q := Question{Category: Continuation, Kind: Outcome, Weight: 0.5, Expected: it.subject + ": " + toldDone,
			Prompt: "Is this done: " + it.subject + "?"}
		if !it.done {
			q.Weight, q.Expected = 1, it.subject+": "+toldOpen
		}
		q.Source = q.Expected
		if len(strings.Fields(it.subject)) > 1 {
			out = append(out, q)
		}
	}
	return out
}

// maxPlan bounds the items of a task list that are followed.
const maxPlan = 64

// plan takes what the call does to a task list: a list written whole, an item added, the state of one changed.
func (c *call) plan(list []todo) []todo {
	parts := strings.Join(toolWords(c.name), "")
	switch {
	case !strings.Contains(parts, "todo") && !strings.Contains(parts, "task") && !strings.Contains(parts, "plan"):
	case c.failed:
	case parts == "taskcreate":
		if s := subjectOf(c.args.Get("subject").Text()); s != "" {
			next := 1
			if len(list) > 0 {
				next = list[len(list)-1].id + 1
			}
			list = append(list, todo{id: next, subject: s})
		}
	case parts == "taskupdate":
		id, status := c.args.Get("taskId").Text(), c.args.Get("status").Text()
		for i := range list {
			if status != "" && strconv.Itoa(list[i].id) == id {
				list[i].done = status == "completed"
			}
		}
	default:
		for _, key := range [...]string{"todos", "plan", "items", "todo_list"} {
			if items := c.args.Get(key); items.Kind() == chat.Array {
				return written(items)
			}
		}
	}
	return list
}

// written reads a list that is given whole.
func written(items chat.Value) (list []todo) {
	for item := range items.Elements() {
		for _, key := range [...]string{"content", "step", "title", "text", "description"} {
			s := subjectOf(item.Get(key).Text())
			if s == "" {
				continue
			}
			status := strings.ToLower(item.Get("status").Text())
			list = append(list, todo{subject: s, done: status == "completed" || status == "done"})
			break
		}
		if len(list) == maxPlan {
			break
		}
	}
	return list
}

// subjectOf makes the words of a list's item one line.
func subjectOf(text string) string { return strings.Join(strings.Fields(clip(text, maxFact)), " ") }
