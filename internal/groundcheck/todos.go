package groundcheck

import (
	"regexp"
	"strconv"

	"killick/internal/groundcheck/quoted"
	"killick/internal/groundcheck/todolist"
)

var todoForm = regexp.MustCompile(`^todo (?:#(\d+) )?(open|in progress|done) \((\d+)\): (.*)$`)

// todo checks an item of the list against the state after the last call that set it.
func (c *checker) todo(text string) bool {
	found := todoForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(kindTodo)
	if done := found[2] == "done"; c.rec.section != alsoTitle &&
		done != (c.rec.section == doneTitle) {
		c.fault(ruleTodo, "it stands under %q: %s", c.rec.section, excerpt(text))
	}
	var near todolist.Item
	for _, item := range todolist.After(c.client.Between(1, c.rec.last)) {
		if !quoted.IsAny(found[4], item.Text) {
			continue
		}
		near = item
		if item.Status == found[2] && strconv.Itoa(item.At) == found[3] &&
			(found[1] == "" || found[1] == item.ID) {
			return true
		}
	}
	if near.Text == "" {
		c.fault(ruleTodo, "no such item: %s", excerpt(text))
	} else {
		c.fault(ruleTodo, "it is %s since message %d: %s", near.Status, near.At, excerpt(text))
	}
	return true
}

// items counts the items of the list that were done in the record's span, or that are not done.
func (c *checker) items(done bool) (n int) {
	for _, item := range todolist.After(c.client.Between(1, c.rec.last)) {
		if is := item.Status == "done"; is == done && (!done || item.At >= c.rec.first) {
			n++
		}
	}
	return n
}
