package summary

import (
	"slices"
	"strconv"

	"killick/summary/excerpt"
	"killick/summary/quotes"
	"killick/transcript"
)

// next returns the open items of the agent's todo list.
func (sum *Summary) next() (entries []string) {
	for _, status := range []transcript.TodoStatus{transcript.TodoActive, transcript.TodoOpen} {
		for i := range sum.Todos {
			if sum.Todos[i].Status == status {
				entries = append(entries, todoLine(&sum.Todos[i]))
			}
		}
	}
	return entries
}

func todoLine(t *transcript.Todo) string {
	label := "todo "
	if t.Label() != "" {
		label += t.Label() + " "
	}
	return label + string(t.Status) + " (" + strconv.Itoa(t.At+1) + "): " +
		excerpt.Quote(t.Text, quotes.MaxQuote)
}

// completed returns the items of the todo list that were done in these turns, and the assistant's
// closing words of each request. Words that stand beside one of the newest shown messages of the
// user are not repeated.
func (sum *Summary) completed(room, shown int) []string {
	l := entryList{room: room, most: maxDone}
	beside := map[int]bool{} // by message
	for i := range sum.Words[:shown] {
		if q := sum.Words[i].Answers; q != nil {
			beside[q.At] = true
		}
	}
	for i := range slices.Backward(sum.Todos) {
		if t := &sum.Todos[i]; t.Status == transcript.TodoDone && t.At+1 >= sum.First {
			l.add(func() string { return todoLine(t) })
		}
	}
	for i := range sum.Reports {
		if at := sum.Reports[i].At; at >= sum.First && !beside[at] &&
			(sum.State == nil || at != sum.State.At) {
			l.add(sum.Reports[i].Line)
		}
	}
	return l.entries
}
