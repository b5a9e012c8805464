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
var attachedForm = regexp.MustCompile(`^(\d+) (.+?): ([^:]+)$`)

// attached checks what a message, or the result of a call in it, is stated to have beside text, and
// who attached it.
func (c *checker) attached(text string) bool {
	found := attachedForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindAttached)
	number, _ := strconv.Atoi(found[1])
	m := c.within(number)
	if m == nil {
		c.fault(RulePlace, "message %d is not among those replaced: %s", number, excerpt(text))
		return true
	}
	of := []*conversation.Message{}
	if by := map[bool]string{true: "user", false: "client"}[m.Person()]; m.Role == "user" &&
		found[2] == by || m.Role != "user" && found[2] == m.Role {
		of = append(of, m)
	}
	for _, k := range c.client.Between(1, c.rec.last) {
		args, ok := strings.CutPrefix(found[2], quoted.Fold(k.Tool)+"(")
		if k.Caller == m &&
			(k.Shared || ok && calledWith(k, strings.TrimSuffix(args, ")"), c.rec.folder)) {
			of = append(of, k.Result)
		}
	}
	if len(of) == 0 {
		c.fault(RuleSpeaker, "message %d is of another: %s", number, excerpt(text))
	} else if !slices.ContainsFunc(of, func(m *conversation.Message) bool {
		return quoted.Is(found[3], listed(m))
	}) {
		c.fault(RuleValue, "message %d has something else: %s", number, excerpt(text))
	}
	return true
}

// listed lists the images and files of a message, with the number of those that are the same.
func listed(m *conversation.Message) string {
	var all []string
	for i, name := range m.Files {
		if slices.Index(m.Files, name) < i {
			continue
		}
		n := 0
		for _, other := range m.Files {
			if other == name {
				n++
			}
		}
		if n > 1 {
			name = fmt.Sprintf("%d × %s", n, name)
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}
