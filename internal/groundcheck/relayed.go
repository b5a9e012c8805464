package groundcheck

import (
	"regexp"
	"strconv"

	"killick/internal/groundcheck/quoted"
)

var relayedForm = regexp.MustCompile(`^(\d+) in a tool's result, as the user's: (.*)$`)

// relayedQuote checks words that a tool's result relays.
func (c *checker) relayedQuote(text string) bool {
	found := relayedForm.FindStringSubmatch(text)
	if found == nil {
		return false
	}
	c.count(kindQuote)
	c.rec.entry = nil
	number, _ := strconv.Atoi(found[1])
	m := c.within(number)
	if m == nil {
		c.fault(rulePlace, "message %d is not among those replaced: %s", number, excerpt(text))
		return true
	}
	for _, words := range m.Relayed() {
		if quoted.Is(found[2], quoted.Fold(words)) {
			return true
		}
	}
	c.fault(ruleQuote, "message %d relays something else: %s", number, excerpt(found[2]))
	return true
}
