package probe

import (
	"strings"

	"killick/probe/normal"
	"killick/transcript"
	"killick/transcript/partial"
)

// The sections whose statements describe the state at the end, and those whose statements say what
// is not done yet.
var (
	presentSections = map[string]bool{"state": true, "open": true}
	undoneSections  = map[string]bool{"open": true, "next": true}
)

// outdated reports whether a statement no longer holds. That is so if it describes the state at the
// end, and its quote is only in results of calls that were made again and whose newest results lack
// it; or if it says what is to be done, and its quote is only in todo lists, in items that are done
// at the end.
func (t *turns) outdated(s *Statement, at []int) (yes bool) {
	present, undone := presentSections[s.Section], undoneSections[s.Section]
	for _, i := range at {
		if !strings.Contains(t.texts[i], s.Quote) {
			continue
		}
		yes = present && t.gone(i, s.Quote) || undone && t.done(i, s.Quote)
		if !yes {
			return false
		}
	}
	return yes
}

// Outdated returns the indexes of grounded statements that no longer hold, as the conversation
// shows by its structure alone.
func (c *Conversation) Outdated(statements []Statement) (at []int) {
	for n := range statements {
		var named []int
		for _, number := range statements[n].Messages {
			if i, ok := c.indexOf(number); ok {
				named = append(named, i)
			}
		}
		if c.outdated(&statements[n], named) {
			at = append(at, n)
		}
	}
	return at
}

// gone reports whether a message is the result of a call that was made again, whose newest result
// is whole and does not have a one-line text.
func (t *turns) gone(i int, text string) bool {
	n := t.read.Answered(i)
	if n < 0 || t.read.Calls[n].Made().HasTasks() {
		return false
	}
	again := t.newestSame()[n]
	if again < 0 || t.read.Calls[again].Caller <= i {
		return false
	}
	c := &t.read.Calls[again]
	return !c.MayHaveFailed() && !partial.Of(t.read.Text(c.Result)).Cut &&
		!strings.Contains(t.texts[c.Result], text)
}

// newestSame returns, for each call, the newest of the same calls that has a result with content,
// -1 if none has.
func (t *turns) newestSame() []int {
	if t.newest == nil {
		t.newest = make([]int, len(t.calls))
		byKey := map[string]int{}
		for i := len(t.newest) - 1; i >= 0; i-- {
			c := &t.calls[i]
			key := c.Key()
			if c.Hosted {
				key = "\x00" + key // a tool of the client with the same name is another one
			}
			newest, ok := byKey[key]
			switch {
			case !ok && c.Result >= 0 && !c.Stub:
				newest, byKey[key] = i, i
			case !ok:
				newest = -1
			}
			t.newest[i] = newest
		}
	}
	return t.newest
}

// done reports whether a one-line text consists of items of the todo list that a message sets, all
// of which are done at the end.
func (t *turns) done(i int, text string) bool {
	final, sets := t.lists()
	if !sets[i] {
		return false
	}
	done := false
	for _, item := range final {
		if words := normal.OneLine(item.Text); words != "" &&
			(strings.Contains(words, text) || strings.Contains(text, words)) {
			if done = item.Status == transcript.TodoDone; !done {
				return false
			}
		}
	}
	return done
}

// lists returns the todo list at the end, and the messages with calls that set one.
func (t *turns) lists() (final transcript.Todos, sets map[int]bool) {
	if t.setTodos == nil {
		t.setTodos = map[int]bool{}
		for i := range t.read.Calls {
			c, result := &t.read.Calls[i], ""
			if c.Result >= 0 {
				result = t.read.Text(c.Result)
			}
			t.todos = t.todos.After(c, result)
			if len(transcript.Todos(nil).After(c, result)) > 0 {
				t.setTodos[c.Caller] = true
			}
		}
	}
	return t.todos, t.setTodos
}
