package groundcheck

import "killick/internal/groundcheck/conversation"

// Check compares the forwarded request, sent, with the client's request, raw.
func Check(raw, sent []byte) Report {
	c := checker{report: Report{Counts: map[string]int{}}}
	var err error
	if c.client, err = conversation.Read(raw); err != nil {
		c.fault(ruleRequest, "the client's: %v", err)
		return c.report
	}
	if c.sent, err = conversation.Read(sent); err != nil {
		c.fault(ruleRequest, "the forwarded one: %v", err)
		return c.report
	}
	c.layout()
	return c.report
}
