package groundcheck

import (
	"slices"
	"strconv"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
	"killick/internal/groundcheck/todolist"
)

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
	calls := slices.DeleteFunc(c.client.Between(1, c.rec.last), func(k *conversation.Call) bool {
		return k.Notice != ""
	})
	calls = c.withAll(calls)
	for n := len(calls); aside && n > 0 && todolist.IsSetBy(calls[n-1]); n-- {
		calls = calls[:n-1]
	}
	if listed, short := strings.CutSuffix(rest, ", listed below"); ok && short {
		return c.lastBelow(listed, calls)
	}
	found := callForm.FindStringSubmatch(rest)
	if !ok || found == nil || !strings.HasSuffix(found[4], ")") {
		return false
	}
	c.count(kindLastCall)
	number, _ := strconv.Atoi(found[2])
	if len(calls) == 0 || calls[len(calls)-1].Caller.Number != number {
		c.fault(ruleLatest, "message %d does not make the last call", number)
		return true
	}
	for _, k := range append(c.callsOf(0, number, found[3]), calls[len(calls)-1]) {
		if calledWith(k, strings.TrimSuffix(found[4], ")"), c.rec.folder) {
			return true
		}
	}
	c.fault(ruleCall, "message %d makes no such call: %s", number, excerpt(text))
	return true
}

// lastBelow checks that the last of these calls is listed in a later line of the record, which is
// checked by itself. listed is its message with its tool.
func (c *checker) lastBelow(listed string, calls []*conversation.Call) bool {
	c.count(kindLastCall)
	if len(calls) == 0 {
		c.fault(ruleLatest, "there is no call")
		return true
	}
	last := calls[len(calls)-1]
	want := strconv.Itoa(last.Caller.Number) + " " + quoted.Fold(last.Tool)
	if !matches(listed, want) {
		c.fault(ruleLatest, "%s is not the last call, but %s", listed, want)
	}
	for _, l := range c.rec.lines[c.line:] {
		found := callForm.FindStringSubmatch(strings.TrimPrefix(l, "- "))
		if found != nil && strings.HasPrefix(l, "- "+listed+"(") &&
			len(claimsOf(found[4], c.rec.folder, []*conversation.Call{last})) > 0 {
			return true
		}
	}
	c.fault(ruleCall, "no line lists the call: %s", listed)
	return true
}
