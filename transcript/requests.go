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
