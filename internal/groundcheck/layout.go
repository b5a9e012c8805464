package groundcheck

import (
	"fmt"
	"regexp"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

// Limits of what must be forwarded verbatim.
const (
	newest   = 20   // messages of persons, with those after the records
	oldest   = 3    // messages of persons
	maxBytes = 1200 // of one of these: about 300 tokens
	maxUncut = 4000 // bytes of the task or the latest request up to which it is never cut
)

// cutForm is the mark of a message that was cut.
var cutForm = regexp.MustCompile(` \[….*? left out here(?:; ref=[a-z0-9]+)?…\] `)

// attachment replaces a part other than text that was left out.
const attachment = "[…an attachment left out here…]"

// layout walks the forwarded messages: messages kept of replaced turns with their records, then the
// messages after them.
func (c *checker) layout() {
	var records []*record
	var kept []keptMessage
	at, next := 0, 1 // at: index of the forwarded message; next: the least number of the next one
	last := c.lastRecord()
	for ; at <= last; at++ {
		m := c.sent.Messages[at]
		if m.Instructs() {
			continue // the operator's messages keep their places
		}
		text := recordOf(m)
		if text == "" || c.isOwn(m) {
			if k, ok := c.keptFrom(m, next); ok {
				kept = append(kept, k)
				next = k.of.Number + 1
			}
			continue
		}
		if len(records) > 0 && isWorking(text) {
			c.working(text, len(records)+1, records[len(records)-1].last)
			continue
		}
		r := c.readRecord(text, len(records)+1)
		r.kept, kept = kept, nil
		records = append(records, r)
		next = r.last + 1
	}
	if len(records) == 0 {
		c.tail(0, 0)
		return
	}
	c.report.Records = len(records)
	c.spans(records)
	for _, r := range records {
		c.checkRecord(r)
	}
	c.forwarded(records)
	c.tail(records[len(records)-1].last, at)
}

// lastRecord returns the index of the last forwarded message that holds a record, -1 if none does.
// A record that the client sent does not count.
func (c *checker) lastRecord() int {
	last := -1
	for i, m := range c.sent.Messages {
		if recordOf(m) != "" && !c.isOwn(m) {
			last = i
		}
	}
	return last
}

// isOwn reports whether a forwarded message with the text of a record is one that the client sent,
// such as that of a person who asks about it.
func (c *checker) isOwn(m *conversation.Message) bool {
	if c.own == nil {
		c.own = map[string]bool{}
		for _, sent := range c.client.Messages {
			if sent.Role == "user" && strings.Contains(sent.Text(), quoted.Opening) {
				c.own[string(sent.Raw)] = true
			}
		}
	}
	return c.own[string(m.Raw)]
}

// keptFrom finds the client's message that was forwarded as m, starting at a number.
func (c *checker) keptFrom(m *conversation.Message, from int) (k keptMessage, ok bool) {
	for n := from; n <= len(c.client.Messages); n++ {
		if of := c.client.At(n); of.Role == "user" && conversation.Same(of, m) {
			c.count(kindKept)
			return keptMessage{of, false}, true
		}
	}
	for n := from; n <= len(c.client.Messages); n++ {
		if of := c.client.At(n); of.Role == "user" && cutOf(m.Text(), of.Text()) {
			c.count(kindKeptCut)
			return keptMessage{of, true}, true
		}
	}
	c.fault(ruleKept, "no message of the client from %d on: %s", from, excerpt(m.Text()))
	return k, false
}

// cutOf reports whether a text is another one with parts replaced by marks.
func cutOf(text, whole string) bool {
	text = strings.TrimSuffix(text, "\n"+attachment)
	text = quoted.Redaction.ReplaceAllString(text, " […a credential left out here…] ")
	parts := cutForm.Split(text, -1)
	if len(parts) < 2 || !strings.HasPrefix(whole, parts[0]) {
		return false
	}
	from := len(parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		end, ok := quoted.Find(whole, from, part, false)
		if !ok {
			return false
		}
		from = end
	}
	last := parts[len(parts)-1]
	return len(whole)-from >= len(last) && strings.HasSuffix(whole, last)
}

// spans checks that the records cover the messages from the first on without gaps, and that what is
// kept beside each is from its span.
func (c *checker) spans(records []*record) {
	next := 1
	for _, r := range records {
		c.rec, c.line = r, 1
		if r.first != next {
			c.fault(ruleOpening, "it begins at message %d, want %d", r.first, next)
		}
		for _, k := range r.kept {
			if k.of.Number < r.first || k.of.Number > r.last {
				c.fault(ruleKept, "message %d stands beside the record of messages %d to %d",
					k.of.Number, r.first, r.last)
			}
		}
		next = r.last + 1
	}
	c.rec = nil
}

// forwarded checks that persons' messages of replaced turns are forwarded verbatim: the task, the
// latest request, the first and the newest messages that are not long.
func (c *checker) forwarded(records []*record) {
	cut := map[int]bool{}
	there := map[int]bool{}
	for _, r := range records {
		for _, k := range r.kept {
			there[k.of.Number], cut[k.of.Number] = true, k.cut
		}
	}
	var persons []*conversation.Message // of replaced turns
	after := 0
	for _, m := range c.client.Messages {
		switch {
		case !m.Person():
		case m.Number <= records[len(records)-1].last:
			persons = append(persons, m)
		default:
			after++
		}
	}
	must := func(m *conversation.Message, what string, most int) {
		if !there[m.Number] || cut[m.Number] && len(m.Text()) <= most {
			c.fault(ruleWords,
				"%s, message %d of %d bytes, is not forwarded verbatim (there: %t, cut: %t)", what,
				m.Number, len(m.Text()), there[m.Number], cut[m.Number])
		}
	}
	for i, m := range persons {
		switch {
		case i == 0:
			must(m, "the task", maxUncut)
		case i == len(persons)-1:
			must(m, "the latest request", maxUncut)
		case i < oldest:
			must(m, "one of the first", maxBytes)
		case len(persons)+after-i <= newest && len(m.Text()) <= maxBytes:
			must(m, fmt.Sprintf("number %d of the newest", len(persons)+after-i), maxBytes)
		}
	}
}

// tail checks that the forwarded messages from at on are the client's messages after the last
// replaced one. Outputs may be masked or truncated there; nothing else may differ.
func (c *checker) tail(replaced, at int) {
	rest, want := c.sent.Messages[at:], c.client.Messages[replaced:]
	if len(rest) != len(want) {
		c.fault(ruleTail, "%d messages that no record replaces, want %d", len(rest), len(want))
		return
	}
	for i := range rest {
		if rest[i].Role != want[i].Role || want[i].Role != "tool" && want[i].Role != "function" &&
			!conversation.Same(rest[i], want[i]) {
			c.fault(ruleTail, "message %d is another one", want[i].Number)
			return
		}
	}
}
