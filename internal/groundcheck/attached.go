package groundcheck

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

// attachedForm is an entry on the images and files of a message.
var attachedForm = regexp.MustCompile(`^(\d+) (.+: .+)$`)

// attached checks what a message, or the result of a call in it, is stated to have beside text, and
// who attached it.
func (c *checker) attached(text string) bool {
	found := attachedForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(kindAttached)
	number, _ := strconv.Atoi(found[1])
	m := c.within(number)
	if m == nil {
		c.fault(rulePlace, "message %d is not among those replaced: %s", number, excerpt(text))
		return true
	}
	rule := ruleSpeaker
	// arguments and names may have colons
	for _, at := range colon.FindAllStringIndex(found[2], -1) {
		of := c.attachedBy(m, found[2][:at[0]])
		if slices.ContainsFunc(of, func(m *conversation.Message) bool {
			return lists(found[2][at[1]:], m)
		}) {
			return true
		} else if len(of) > 0 {
			rule = ruleValue
		}
	}
	c.fault(rule, "message %d has something else, or is of another: %s", number, excerpt(text))
	return true
}

var colon = regexp.MustCompile(`: `)

// attachedBy returns the messages that may be meant by one, or by the result of a call in it.
func (c *checker) attachedBy(m *conversation.Message, by string) (of []*conversation.Message) {
	person := map[bool]string{true: "user", false: "client"}[m.Person()]
	if m.Role == "user" && by == person || m.Role != "user" && by == m.Role {
		of = append(of, m)
	}
	for _, k := range c.client.Between(1, c.rec.last) {
		args, ok := strings.CutPrefix(by, quoted.Fold(k.Tool)+"(")
		if k.Caller == m &&
			(k.Shared || ok && calledWith(k, strings.TrimSuffix(args, ")"), c.rec.folder)) {
			of = append(of, k.Result)
			if after := c.client.At(k.Result.Number + 1); k.Result.Number == m.Number+1 &&
				after != nil && after.MediaOfTools() {
				of = append(of, after)
			}
		}
	}
	return of
}

// lists reports whether a text lists the images and files of a message, or the first ones and how
// many more there are.
func lists(text string, m *conversation.Message) bool {
	var names []string
	times := map[string]int{}
	for _, name := range m.Files {
		if times[name]++; times[name] == 1 {
			names = append(names, name)
		}
	}
	left, all := len(m.Files), ""
	for i, name := range names {
		left -= times[name]
		if i > 0 {
			all += ", "
		}
		if n := times[name]; n > 1 {
			name = fmt.Sprintf("%d × %s", n, name)
		}
		all += name
		if left > 0 && quoted.Is(text, fmt.Sprintf("%s, %d more", all, left)) {
			return true
		}
	}
	return quoted.Is(text, all)
}
