package groundcheck

import (
	"strconv"
	"strings"
)

// above checks which kept messages of the user are stated.
func (c *checker) above() {
	c.count(kindCount)
	var persons []string
	for _, k := range c.rec.kept {
		if k.of.Person() {
			persons = append(persons, strconv.Itoa(k.of.Number))
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
		c.fault(ruleOpening, "%d messages of the user stand above, %s, want %d: %s", stated,
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
		if err != nil || n <= last || n > len(c.client.Messages) {
			return false
		}
		number, _ := strconv.Atoi(numbers[i])
		if c.client.At(n).Text() != c.client.At(number).Text() {
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
		c.count(kindCount)
		if n := entries(title); n != want && !r.older[title] || r.older[title] && n >= want {
			c.fault(ruleCount, "%d entries under %q, shown and left out, older ones: %t; want %d",
				n, title, r.older[title], want)
		}
	}
	most := func(title string, want int) {
		c.count(kindCount)
		if n := entries(title); n > want {
			c.fault(ruleCount, "%d entries under %q, shown and left out; there are %d", n,
				title, want)
		}
	}
	exactly(nextTitle, c.items(false))
	exactly(openTitle, c.openCalls())
	exactly(unansweredTitle, len(c.withoutResult(r.first)))
	exactly(doneTitle, c.items(true)+c.reports()-c.beside())
	most(commandsTitle, c.distinctCalls())
	most(dataTitle, c.distinctCalls()+c.citing())
	most(filesTitle, c.namedFiles())
	persons, kept, attached := 0, 0, 0
	for _, m := range c.client.Messages[r.first-1 : r.last] {
		if len(m.Files) > 0 {
			attached++
		}
		if m.Person() {
			persons++
		}
		persons += len(m.Relayed())
	}
	for _, k := range r.kept {
		if k.of.Person() {
			kept++
		}
	}
	most(attachedTitle, attached)
	words := entries(wordsTitle)
	if words > persons || words < persons-kept {
		c.fault(ruleCount,
			"%d words of persons, shown and left out; of %d messages of persons %d stand above",
			words, persons, kept)
	}
}
