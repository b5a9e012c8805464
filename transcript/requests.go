package transcript

import (
	"strings"

	"killick/transcript/speech"
	"killick/view"
)

// Request is a message of a person, with the assistant's words before it and the report on it.
type Request struct {
	At      int
	Answers int // the assistant's last words before it, -1 if there are none
	Report  int // the assistant's closing words before the next request, -1 if there are none
}

// Requests returns the messages of persons in [from, to), in order. Answers may refer to a message
// before from; reports lie before to.
func (t *Transcript) Requests(from, to int) (requests []Request) {
	last := -1
	for i := from - 1; i >= 0 && last < 0; i-- {
		if t.Messages[i].Role() == view.User && t.Message(i).Speaker == speech.Person {
			break
		}
		if t.hasWords(i) {
			last = i
		}
	}
	for i := from; i < to; i++ {
		switch {
		case t.hasWords(i):
			last = i
			if n := len(requests); n > 0 {
				requests[n-1].Report = i
			}
		case t.Messages[i].Role() == view.User && t.Message(i).Speaker == speech.Person:
			requests = append(requests, Request{At: i, Answers: last, Report: -1})
			last = -1
		}
	}
	return requests
}

// hasWords reports whether message i has text of the assistant.
func (t *Transcript) hasWords(i int) bool {
	m := &t.Messages[i]
	if m.Role() != view.Assistant {
		return false
	}
	for part := range m.Parts() {
		if len(part.Text) <= 2 {
			continue
		}
		// Most texts begin with a letter, or with line feeds before one, and need not be decoded.
		// Some are not strings.
		body := part.Text.StringBody()
		for len(body) > 1 && body[0] == '\\' && body[1] == 'n' {
			body = body[2:]
		}
		if len(body) > 0 && body[0] > ' ' && body[0] < 0x7f && body[0] != '\\' ||
			strings.TrimSpace(part.Text.Text()) != "" {
			return true
		}
	}
	return false
}

// LastWords returns the message in [from, to) that holds the assistant's last words, -1 if there
// are none.
func (t *Transcript) LastWords(from, to int) int {
	for i := to - 1; i >= from; i-- {
		if t.hasWords(i) {
			return i
		}
	}
	return -1
}

// FollowUp is what later calls of a list show about a call.
type FollowUp struct {
	// Repeated: the same call was made again, or the file that it read was written or read again.
	Repeated bool
	Resolved bool // it failed, and a later run of the same call reports success
	// Open: it failed, and so did every later run of the same call that has a result.
	Open bool
}

// FollowUps returns what followed each of the calls, in one pass from the last to the first.
func FollowUps(calls []Call) []FollowUp {
	result := make([]FollowUp, len(calls))
	again := map[string]bool{}
	wentWell := map[string]bool{} // a later run reports success
	didNotFail := map[string]bool{}
	touched := map[string]bool{} // files read whole or written later
	for i := len(calls) - 1; i >= 0; i-- {
		c, key := &calls[i], calls[i].Key()
		switch {
		case c.Failed() && c.HasTasks():
			result[i] = followUpOf(c.Nested(), result[i+1:])
		case c.Failed():
			result[i].Resolved, result[i].Open = wentWell[key], !didNotFail[key]
		case again[key] || c.Effect == Reads && len(c.Paths) == 1 && touched[c.Paths[0].Name]:
			result[i].Repeated = true
		}
		again[key] = true
		if !c.Failed() && c.Result >= 0 {
			didNotFail[key] = true
			wentWell[key] = wentWell[key] || c.Status == OK
			for _, p := range c.Paths {
				if c.MayHaveFailed() {
					break
				}
				if p.Effect == Writes || p.Effect == Deletes || c.Whole() {
					touched[p.Name] = true
				}
			}
		}
	}
	return result
}

// followUpOf returns what followed a failed call with several tasks, by what followed these: it is
// resolved if all that failed are, and open if one is.
func followUpOf(tasks []Call, followed []FollowUp) FollowUp {
	all := FollowUp{Resolved: true}
	for i := range tasks {
		if tasks[i].Failed() {
			all.Resolved = all.Resolved && followed[i].Resolved
			all.Open = all.Open || followed[i].Open
		}
	}
	return all
}
