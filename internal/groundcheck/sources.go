package groundcheck

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"killick/internal/groundcheck/conversation"
	"killick/internal/groundcheck/quoted"
)

// returned reports whether a tool of the provider's returned a quote in the message, or a page or
// a file has it that the message cites.
func returned(m *conversation.Message, quote string) bool {
	var cited []string
	for _, s := range m.Cited {
		cited = append(cited, s.Title, s.URL, s.Text)
	}
	texts := []string{strings.Join(cited, "\n")}
	for _, k := range m.Ran {
		if k.Result != nil && k.Result.Number == m.Number {
			texts = append(texts, k.Result.Text())
		}
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return quoted.Contains(quoted.Fold(text), quote)
	})
}

var (
	citedForm = regexp.MustCompile(`^(\d+) assistant cited: (.+)$`)
	// A title has no quotation mark in it, and an address no space.
	sourceForm = regexp.MustCompile(`^(?:"([^"]*)"(?: ([^" ]+))?|([^" ]+))(?:; |$)`)
	othersForm = regexp.MustCompile(`^(\d+) more(?:; |$)`)
)

// citedSources checks which sources a reply cites.
func (c *checker) citedSources(text string) bool {
	found := citedForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(KindSource)
	number, _ := strconv.Atoi(found[1])
	m := c.within(number)
	if m == nil || m.Role != "assistant" {
		c.fault(ruleSpeaker, "message %d is not the assistant's", number)
		return true
	}
	if rest := c.listed(found[2], m.Cited); rest != "" {
		c.fault(ruleSource, "message %d cites no %s", number, excerpt(rest))
	}
	return true
}

// listed checks a list of sources, and returns what follows it.
func (c *checker) listed(list string, of []conversation.Source) (rest string) {
	shown := 0
	for list != "" {
		if more := othersForm.FindStringSubmatch(list); more != nil && shown > 0 {
			if n, _ := strconv.Atoi(more[1]); shown+n > len(of) {
				c.fault(ruleCount, "%d sources and %d more, of %d", shown, n, len(of))
			}
			return list[len(more[0]):]
		}
		found := sourceForm.FindStringSubmatch(list)
		if found == nil || !slices.ContainsFunc(of, func(s conversation.Source) bool {
			return shownAs(s, found[1], found[2]+found[3])
		}) {
			return list
		}
		shown++
		list = list[len(found[0]):]
	}
	return ""
}

// shownAs reports whether a title and an address are those of the source. Either may be left out.
func shownAs(s conversation.Source, title, url string) bool {
	return (title == "" || matches(title, quoted.Fold(strings.ReplaceAll(s.Title, `"`, "'")))) &&
		(url == "" || matches(url, s.URL))
}

// hostedOutput checks what is stated of the result of a call that the provider ran: sources, and
// after them the text.
func (c *checker) hostedOutput(cl claim, text string) {
	rest := cl.output
	if len(cl.of.Ran.Sources) > 0 {
		rest = c.listed(rest, cl.of.Ran.Sources)
		if rest == "" {
			c.count(KindSource)
			return
		}
		after, found := strings.CutPrefix(rest, "text: ")
		if !found && rest != cl.output {
			c.fault(ruleSource, "no source of it: %s", excerpt(rest))
		}
		rest = after // the whole output if the call's arguments have all of its sources
	}
	if _, ok := listsValues(rest, cl.of.Ran.Text); !ok && !quoted.IsAny(rest, cl.of.Ran.Text) {
		c.fault(ruleValue, "the result holds something else: %s", excerpt(text))
	}
}

// citing counts the replies in the record's span that cite something.
func (c *checker) citing() (n int) {
	for _, m := range c.client.Messages[c.rec.first-1 : c.rec.last] {
		if len(m.Cited) > 0 {
			n++
		}
	}
	return n
}
