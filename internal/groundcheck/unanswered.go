package groundcheck

import (
	"regexp"
	"slices"
	"strconv"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

// unansweredForm is an entry on a call without a result.
var unansweredForm = regexp.MustCompile(`^(\d+) ([^(]*)\((.*)\)$`)

// withoutResult returns the calls from a message on that the record replaces and that have no
// result.
func (c *checker) withoutResult(first int) (calls []*conversation.Call) {
	for _, k := range c.client.Unanswered {
		if k.Caller.Number >= first && k.Caller.Number <= c.rec.last {
			calls = append(calls, k)
		}
	}
	return calls
}

// unanswered checks that a message makes a call, and that the call has no result.
func (c *checker) unanswered(text string) bool {
	found := unansweredForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindUnanswered)
	for _, k := range c.withoutResult(c.rec.first) {
		if strconv.Itoa(k.Caller.Number) == found[1] && matches(found[2], quoted.Fold(k.Tool)) &&
			calledWith(k, found[3], c.rec.folder) {
			return true
		}
	}
	c.fault(ruleCall, "message %s makes no such call without a result: %s", found[1],
		excerpt(text))
	return true
}

// calledAgain checks which later call without a result is the same as a failed one.
func (c *checker) calledAgain(cl claim) {
	want := 0
	if c.rec.section == openTitle {
		of := cl.of
		if of.Began != nil {
			of = of.Began
		}
		for _, k := range c.withoutResult(c.rec.first) {
			if k.Identity() == of.Identity() && k.Caller.Number > cl.of.Caller.Number {
				want = k.Caller.Number
			}
		}
	}
	if cl.again != want {
		c.fault(ruleLatest, "message %d: called again in message %d, want %d",
			cl.of.Caller.Number, cl.again, want)
	}
}

// withAll returns calls, in order, with those of the record's turns that have no result.
func (c *checker) withAll(calls []*conversation.Call) []*conversation.Call {
	for _, u := range c.withoutResult(1) {
		at := slices.IndexFunc(calls, func(k *conversation.Call) bool {
			return k.Caller.Number > u.Caller.Number || k.Caller == u.Caller &&
				slices.Index(u.Caller.Calls, k) > slices.Index(u.Caller.Calls, u)
		})
		if at < 0 {
			at = len(calls)
		}
		calls = slices.Insert(calls, at, u)
	}
	return calls
}
