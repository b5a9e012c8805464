package quotes

import (
	"strconv"

	"killick/transcript/speech"
)

// Limits on quotes, in bytes.
const (
	MaxQuote  = 400
	MaxReport = 1200 // of a report: see [transcript.ReturnsReport]
)

// Quote holds words of one message.
type Quote struct {
	At   int            `json:"message"`
	By   speech.Speaker `json:"by"`
	Name string         `json:"name,omitempty"` // of the participant
	Text string         `json:"text"`           // one line; cuts are marked
}

// UserQuote holds a person's words, and what they answer if they are terse.
type UserQuote struct {
	Quote
	Answers *Quote `json:"answers,omitempty"`
}

// Line returns the quote with its label.
func (q *Quote) Line() string { return q.Label() + q.Text }

// Label returns what precedes the words: the number of their message and who wrote it.
func (q *Quote) Label() string {
	by := string(q.By)
	if q.Name != "" {
		by += " " + q.Name
	}
	return strconv.Itoa(q.At) + " " + by + ": "
}
