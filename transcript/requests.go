package transcript

import (
	"strings"

	"killick/chat"
)

// Request is a message of a person, with what it answers and what came of it.
type Request struct {
	At      int
	Answers int // the assistant message that was said last before it, -1 if none was
	Report  int // the assistant's closing words before the next request, -1 if there are none
}

// Requests returns the messages of persons in [from, to), in order. Answers may
// stand before from, reports do not stand behind to.
func (t *Transcript) Requests(from, to int) (requests []Request) {
	last := -1
	for i := from - 1; i >= 0 && last < 0; i-- {
		if t.Messages[i].Role() == chat.User && t.Message(i).Speaker == Person {
			break
		}
		if t.says(i) {
			last = i
		}
	}
	for i := from; i < to; i++ {
		switch {
		case t.says(i):
			last = i
			if n := len(requests); n > 0 {
				requests[n-1].Report = i
			}
		case t.Messages[i].Role() == chat.User && t.Message(i).Speaker == Person:
			requests = append(requests, Request{At: i, Answers: last, Report: -1})
			last = -1
		}
	}
	return requests
}

// says reports whether message i is words of the assistant.
func (t *Transcript) says(i int) bool {
	m := &t.Messages[i]
	return m.Role() == chat.Assistant && len(m.Content()) > 2 && strings.TrimSpace(m.Text()) != ""
}

// LastWords returns the message in [from, to) that holds the assistant's last words,
// -1 if it said nothing.
func (t *Transcript) LastWords(from, to int) int {
	for i := to - 1; i >= from; i-- {
		if t.says(i) {
			return i
		}
	}
	return -1
}

// Standing is how calls stand at the end of a list of them.
type Standing struct {
	// the same whole call was made again later, or what it read was written or read again since
	Repeated bool
	Resolved bool // it failed, and a later run of the same whole call states that it went well
	// it failed, and every later run of the same whole call that has a result failed too
	Open bool
}

// Judge returns how each of the calls stands by their end. It walks them once, from
// the last to the first.
func Judge(calls []Call) []Standing {
	standing := make([]Standing, len(calls))
	again := map[string]bool{}
	wentWell := map[string]bool{} // a later run says so
	didNotFail := map[string]bool{}
	touched := map[string]bool{} // files read whole or written later
	for i := len(calls) - 1; i >= 0; i-- {
		c, key := &calls[i], calls[i].Key()
		switch {
		case c.Failed():
			standing[i].Resolved, standing[i].Open = wentWell[key], !didNotFail[key]
		case again[key] || c.Effect == Reads && len(c.Paths) == 1 && touched[c.Paths[0].Name]:
			standing[i].Repeated = true
		}
		again[key] = true
		if !c.Failed() && c.Result >= 0 {
			didNotFail[key] = true
			wentWell[key] = wentWell[key] || c.Status == OK
			for _, p := range c.Paths {
				if p.Effect == Writes || p.Effect == Deletes || c.Whole() {
					touched[p.Name] = true
				}
			}
		}
	}
	return standing
}
