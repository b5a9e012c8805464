package compactor

import (
	"fmt"

	"killick/chat"
)

// Pin is a user message that is kept word for word: its text as the client
// spelled it, still escaped, and its parts that are no text.
type Pin struct {
	Body  []byte   `json:"body,omitempty"`  // the inside of a JSON string
	Parts [][]byte `json:"parts,omitempty"` // images and the like, as they came
}

func (p *Pin) empty() bool { return len(p.Body) == 0 && len(p.Parts) == 0 }

// Pins are the user's messages of the folded turns that the record keeps.
type Pins struct {
	Task   Pin `json:"task"`
	Latest Pin `json:"latest"` // empty while the task is the latest request
	Note   Pin `json:"note"`   // a client-made message behind the latest request
}

// pinner makes pins; a message of more than maxTokens keeps its head and tail
// and the handle of the whole.
type pinner struct {
	count     func(string) int
	handle    func(content []byte) string
	maxTokens int
}

// advance returns the pins after the turns of msgs were folded too.
func (p Pins) advance(msgs []chat.Message, mk pinner) Pins {
	task, latest, note := -1, -1, -1
	for i := range msgs {
		if msgs[i].Role() != chat.User {
			continue
		}
		if !isRequest(&msgs[i]) {
			note = i
			continue
		}
		if task < 0 {
			task = i
		}
		latest, note = i, -1
	}
	if p.Task.empty() && task >= 0 {
		p.Task = mk.pin(&msgs[task])
	} else {
		task = -1 // the conversation's task stands in an earlier turn
	}
	if latest >= 0 && latest != task {
		p.Latest = mk.pin(&msgs[latest])
	}
	switch {
	case note >= 0:
		p.Note = mk.pin(&msgs[note])
	case latest >= 0:
		p.Note = Pin{}
	}
	return p
}

func (mk pinner) pin(m *chat.Message) Pin {
	var p Pin
	for part := range m.Parts() {
		if part.Text == nil {
			p.Parts = append(p.Parts, part.Raw)
			continue
		}
		if len(p.Body) > 0 {
			p.Body = append(p.Body, `\n`...)
		}
		p.Body = append(p.Body, part.Text.StringBody()...)
	}
	p.Body = mk.shorten(p.Body)
	return p
}

// shorten cuts the middle out of a text of more than maxTokens: three quarters
// of what it may hold are its head, the rest its tail.
func (mk pinner) shorten(body []byte) []byte {
	if len(body) <= mk.maxTokens {
		return body // a token is at least a byte
	}
	text := chat.Value(`"` + string(body) + `"`).Text()
	tokens := mk.count(text)
	if tokens <= mk.maxTokens {
		return body
	}
	keep := len(body) / tokens * mk.maxTokens
	head, rest := chat.CutEscaped(body, keep*3/4)
	middle, tail := chat.CutEscaped(rest, len(rest)-keep/4)
	gap := fmt.Sprintf(" […about %s tokens left out here; ref=%s…] ", thousands(tokens*len(middle)/len(body)), mk.handle([]byte(text)))
	out := append([]byte(nil), head...)
	out = chat.AppendEscaped(out, gap)
	return append(out, tail...)
}

// text returns what a pin says, decoded, for the sections that speak of it.
func (p *Pin) text() string { return chat.Value(`"` + string(p.Body) + `"`).Text() }
