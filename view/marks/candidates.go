package marks

import (
	"killick/rawjson"
	"killick/series"
	"killick/view"
)

// Candidates records which messages of a request may hold a mark.
type Candidates struct {
	messages []view.Message
	lead     int    // the number of leading instructions
	marked   []bool // of the messages after them
}

// At reports whether message i may hold a mark.
func (c Candidates) At(i int) bool {
	if i < c.lead {
		return mayBeMarked(&c.messages[i])
	}
	return c.marked[i-c.lead]
}

// candidatesKey is the key of a list of them in a [view.Memory].
type candidatesKey struct{}

// CandidatesOf returns which messages of a request may hold a mark. It only reads messages that are
// new in the conversation.
func CandidatesOf(r *view.Request) Candidates {
	c := Candidates{messages: r.Messages()}
	for c.lead < len(c.messages) && c.messages[c.lead].Role().Instructs() {
		c.lead++
	}
	all := c.messages[c.lead:]
	kept, n := r.Memory().Load(candidatesKey{})
	known, _ := kept.(series.Of[bool])
	if n == len(all) && known.Len() == n {
		c.marked = known.Items()
		return c
	}
	c.marked = known.Grow(min(n, known.Len()))
	for i := len(c.marked); i < len(all); i++ {
		c.marked = append(c.marked, mayBeMarked(&all[i]))
	}
	next := series.New(c.marked)
	r.Memory().Store(candidatesKey{}, next, len(all), int64(next.Cap()))
	return c
}

// mayBeMarked reports whether a message may have a mark in its usual spelling. It does not search a
// content that is a string, which has no members.
func mayBeMarked(m *view.Message) bool {
	raw, content := m.Raw, m.Fields().Content
	if m.Content().Kind() != rawjson.String {
		return MayBeIn(raw)
	}
	return MayBeIn(raw[:content.Start]) || MayBeIn(raw[content.End:])
}
