package groundcheck

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// keptMessage is a message that is sent along with a record.
type keptMessage struct {
	of  *message // the client's
	cut bool
}

// Limits of what must be forwarded verbatim.
const (
	newest   = 20   // messages of persons
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
		m := c.sent.messages[at]
		if m.instructs() {
			continue // the operator's messages keep their places
		}
		text := recordOf(m)
		if text == "" || c.isOwn(m) {
			if k, ok := c.keptFrom(m, next); ok {
				kept = append(kept, k)
				next = k.of.number + 1
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
	for i, m := range c.sent.messages {
		if recordOf(m) != "" && !c.isOwn(m) {
			last = i
		}
	}
	return last
}

// isOwn reports whether a forwarded message with the text of a record is one that the client sent,
// such as that of a person who asks about it.
func (c *checker) isOwn(m *message) bool {
	if c.own == nil {
		c.own = map[string]bool{}
		for _, sent := range c.client.messages {
			if sent.role == "user" && strings.Contains(sent.text(), opening) {
				c.own[string(sent.raw)] = true
			}
		}
	}
	return c.own[string(m.raw)]
}

// keptFrom finds the client's message that was forwarded as m, starting at a number.
func (c *checker) keptFrom(m *message, from int) (k keptMessage, ok bool) {
	for n := from; n <= len(c.client.messages); n++ {
		if of := c.client.at(n); of.role == "user" && same(of, m) {
			c.count(KindKept)
			return keptMessage{of, false}, true
		}
	}
	for n := from; n <= len(c.client.messages); n++ {
		if of := c.client.at(n); of.role == "user" && cutOf(m.text(), of.text()) {
			c.count(KindKeptCut)
			return keptMessage{of, true}, true
		}
	}
	c.fault(RuleKept, "no message of the client from %d on: %s", from, excerpt(m.text()))
	return k, false
}

// cutOf reports whether a text is another one with parts replaced by marks.
func cutOf(text, whole string) bool {
	text = strings.TrimSuffix(text, "\n"+attachment)
	text = redaction.ReplaceAllString(text, " […a credential left out here…] ")
	parts := cutForm.Split(text, -1)
	if len(parts) < 2 || !strings.HasPrefix(whole, parts[0]) {
		return false
	}
	from := len(parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		end, ok := find(whole, from, part, false)
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
			c.fault(RuleOpening, "it begins at message %d, want %d", r.first, next)
		}
		for _, k := range r.kept {
			if k.of.number < r.first || k.of.number > r.last {
				c.fault(RuleKept, "message %d stands beside the record of messages %d to %d",
					k.of.number, r.first, r.last)
			}
		}
		next = r.last + 1
	}
	c.rec = nil
}

// above checks which kept messages of the user are stated.
func (c *checker) above() {
	c.count(KindCount)
	var persons []string
	for _, k := range c.rec.kept {
		if k.of.person() {
			persons = append(persons, strconv.Itoa(k.of.number))
		}
	}
	found := openingForm.FindStringSubmatch(c.rec.lines[0])
	stated := 0
	switch {
	case found[3] == "One message":
		stated = 1
	case found[3] != "":
		stated, _ = strconv.Atoi(strings.TrimSuffix(found[3], " messages"))
	}
	if numbers := strings.Join(persons, ", "); stated != len(persons) ||
		found[4] != numbers && !c.sameWords(found[4], persons) {
		c.fault(RuleOpening, "%d messages of the user stand above, %s, want %d: %s", stated,
			found[4], len(persons), numbers)
	}
}

// sameWords reports whether messages with ascending numbers have the same texts as others: of two
// messages with the same words it is not known which one stands above.
func (c *checker) sameWords(stated string, numbers []string) bool {
	others, last := strings.Split(stated, ", "), 0
	if len(others) != len(numbers) {
		return false
	}
	for i, other := range others {
		n, err := strconv.Atoi(other)
		if err != nil || n <= last || n > len(c.client.messages) {
			return false
		}
		number, _ := strconv.Atoi(numbers[i])
		if c.client.at(n).text() != c.client.at(number).text() {
			return false
		}
		last = n
	}
	return true
}

// totals checks how many entries of each section are left out.
func (c *checker) totals() {
	r := c.rec
	entries := func(title string) int { return r.shown[title] + r.more[title] }
	exactly := func(title string, want int) {
		c.count(KindCount)
		if n := entries(title); n != want && !r.older[title] || r.older[title] && n >= want {
			c.fault(RuleCount, "%d entries under %q, shown and left out, older ones: %t; want %d",
				n, title, r.older[title], want)
		}
	}
	most := func(title string, want int) {
		c.count(KindCount)
		if n := entries(title); n > want {
			c.fault(RuleCount, "%d entries under %q, shown and left out; there are %d", n,
				title, want)
		}
	}
	exactly(nextTitle, c.items(false))
	exactly(openTitle, c.openCalls())
	exactly(doneTitle, c.items(true)+c.reports()-c.beside())
	most(commandsTitle, c.distinctCalls())
	most(dataTitle, c.distinctCalls()+c.citing())
	most(filesTitle, c.namedFiles())
	persons, kept, attached := 0, 0, 0
	for _, m := range c.client.messages[r.first-1 : r.last] {
		if len(m.files) > 0 {
			attached++
		}
		if m.person() {
			persons++
		}
		persons += len(m.relayed())
	}
	for _, k := range r.kept {
		if k.of.person() {
			kept++
		}
	}
	most(attachedTitle, attached)
	words := entries(wordsTitle)
	if words > persons || words < persons-kept {
		c.fault(RuleCount,
			"%d words of persons, shown and left out; of %d messages of persons %d stand above",
			words, persons, kept)
	}
}

// forwarded checks that persons' messages of replaced turns are forwarded verbatim: the task, the
// latest request, the newest messages that are not long.
func (c *checker) forwarded(records []*record) {
	cut := map[int]bool{}
	there := map[int]bool{}
	for _, r := range records {
		for _, k := range r.kept {
			there[k.of.number], cut[k.of.number] = true, k.cut
		}
	}
	var persons []*message
	for _, m := range c.client.messages[:records[len(records)-1].last] {
		if m.person() {
			persons = append(persons, m)
		}
	}
	must := func(m *message, what string, most int) {
		if !there[m.number] || cut[m.number] && len(m.text()) <= most {
			c.fault(RuleWords,
				"%s, message %d of %d bytes, is not forwarded verbatim (there: %t, cut: %t)", what,
				m.number, len(m.text()), there[m.number], cut[m.number])
		}
	}
	for i, m := range persons {
		switch {
		case i == 0:
			must(m, "the task", maxUncut)
		case i == len(persons)-1:
			must(m, "the latest request", maxUncut)
		case i >= len(persons)-newest && len(m.text()) <= maxBytes:
			must(m, fmt.Sprintf("number %d of the newest", len(persons)-i), maxBytes)
		}
	}
}

// tail checks that the forwarded messages from at on are the client's messages after the last
// replaced one. Outputs may be masked or truncated there; nothing else may differ.
func (c *checker) tail(replaced, at int) {
	rest, want := c.sent.messages[at:], c.client.messages[replaced:]
	if len(rest) != len(want) {
		c.fault(RuleTail, "%d messages that no record replaces, want %d", len(rest), len(want))
		return
	}
	for i := range rest {
		if rest[i].role != want[i].role || want[i].role != "tool" && want[i].role != "function" &&
			!same(rest[i], want[i]) {
			c.fault(RuleTail, "message %d is another one", want[i].number)
			return
		}
	}
}
