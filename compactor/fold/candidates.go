package fold

import "killick/series"

// candidates are messages of persons that may stay if there is room. Of messages that say the same,
// the latest one counts.
type candidates struct {
	series.Matches
	linked []int       // those of which next is known, in order
	next   map[int]int // by message: the next one that says the same
	last   map[content]int
}

// content is the text of a message, with the name of its writer. If no other message can have it,
// message is its index, and else -1.
type content struct {
	name, words string
	message     int
}

// link finds which of the messages, a list of In, have the same content.
func (c *candidates) link(messages []int, contentOf func(i int) content) {
	if len(messages) == 0 {
		return
	}
	if len(c.linked) == 0 || messages[0] < c.linked[0] {
		c.linked, c.next, c.last = nil, map[int]int{}, map[content]int{}
	}
	for n := len(messages); n > 0; n-- {
		if len(c.linked) > 0 && messages[n-1] <= c.linked[len(c.linked)-1] {
			messages = messages[n:]
			break
		}
	}
	for _, i := range messages {
		s := contentOf(i)
		if before, ok := c.last[s]; ok {
			c.next[before] = i
		}
		c.last[s] = i
	}
	c.linked = append(c.linked, messages...)
}

// repeated reports whether a linked message says what a later one says, up to message last.
func (c *candidates) repeated(i, last int) bool {
	next, ok := c.next[i]
	return ok && next <= last
}
