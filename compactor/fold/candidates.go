package fold

import "killick/internal/series"

// candidates are messages of persons that may stay if there is room. Of messages that say the same,
// the latest one counts.
type candidates struct {
	series.Matches
	linked []int       // those of which next is known, in order
	next   map[int]int // by message: the next one that says the same
	last   map[saying]int
}

// saying is what a message says, and as whom. If only that message says it, message is its index,
// and else -1.
type saying struct {
	name, words string
	message     int
}

// link finds which of the messages, a list of In, say the same. said returns what one says.
func (c *candidates) link(messages []int, said func(i int) saying) {
	if len(messages) == 0 {
		return
	}
	if len(c.linked) == 0 || messages[0] < c.linked[0] {
		c.linked, c.next, c.last = nil, map[int]int{}, map[saying]int{}
	}
	for n := len(messages); n > 0; n-- {
		if len(c.linked) > 0 && messages[n-1] <= c.linked[len(c.linked)-1] {
			messages = messages[n:]
			break
		}
	}
	for _, i := range messages {
		s := said(i)
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
