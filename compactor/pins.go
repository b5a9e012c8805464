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
	Of    string   `json:"of,omitempty"`    // of Kept: who said it, or the call whose output it is

	source *chat.Message // what it is to be made of, until it is
}

func (p *Pin) empty() bool { return p.source == nil && len(p.Body) == 0 && len(p.Parts) == 0 }

// Pins are the user's messages of the folded turns that the record keeps.
type Pins struct {
	// Opening is the user's first plain message where that is not the task: what
	// a client wrote before, such as a skill's text.
	Opening Pin  `json:"opening"`
	Opened  bool `json:"opened"` // it has been looked for

	Task   Pin `json:"task"`
	Latest Pin `json:"latest"` // empty while the task is the latest request
	Before Pin `json:"before"` // the request before the latest, where the latest may be a client's command
	Note   Pin `json:"note"`   // a client-made message behind the latest request

	Kept []Pin `json:"kept,omitempty"` // what the operator pinned, oldest first
}

// pinner makes pins; a message of more than maxTokens keeps its head and tail
// and the handle of the whole.
type pinner struct {
	count     func(string) int
	handle    func(content []byte) string
	maxTokens int
	redact    redaction             // nil: pinned messages stay word for word
	keep      func(original string) // takes the whole of a message that is cut; nil: nobody does
	rules     pinRules              // the operator's
	call      func(i int) *call     // that message i of those folded answers, nil if none; nil without rules
}

// all yields the pins in the order in which a record tells them.
func (p *Pins) all() []*Pin {
	pins := []*Pin{&p.Opening, &p.Task, &p.Before, &p.Latest, &p.Note}
	for i := range p.Kept {
		pins = append(pins, &p.Kept[i])
	}
	return pins
}

// advance returns the pins after the turns of msgs were folded too.
func (p Pins) advance(msgs []chat.Message, mk pinner) Pins {
	for i := range msgs {
		m := &msgs[i]
		if m.Role() != chat.User {
			continue
		}
		if !p.Opened && isPlain(m) {
			p.Opening, p.Opened = Pin{source: m}, true
		}
		switch {
		case !isRequest(m):
			p.Note = Pin{source: m}
		case p.Task.empty():
			p.Task, p.Note = Pin{source: m}, Pin{}
		default:
			p.keepBefore(m)
			p.Latest, p.Note = Pin{source: m}, Pin{}
		}
	}
	p.keepPinned(msgs, mk)
	if o := p.Opening.source; o != nil { // told once is enough
		switch o {
		case p.Task.source:
			p.Opening = Pin{}
		case p.Note.source:
			p.Note = Pin{}
		}
	}
	for _, pin := range p.all() {
		if pin.source != nil {
			*pin = mk.pin(pin.source)
		}
	}
	return p
}

// keepBefore keeps what was the latest request until m came, if m may be no
// request at all but a command to the client with text behind it.
func (p *Pins) keepBefore(m *chat.Message) {
	switch {
	case !mayBeCommand(m.Text()):
		p.Before = Pin{}
	case !p.Latest.empty() && !mayBeCommand(p.Latest.says()):
		p.Before = p.Latest
	}
}

func (mk pinner) pin(m *chat.Message) Pin {
	var p Pin
	for part := range m.Parts() {
		if part.Text == nil {
			// A mark that stayed here would be one too many once the client sets it
			// elsewhere; it moves by itself.
			p.Parts = append(p.Parts, part.Raw.Without("cache_control"))
			continue
		}
		if len(p.Body) > 0 {
			p.Body = append(p.Body, `\n`...)
		}
		p.Body = append(p.Body, part.Text.StringBody()...)
	}
	p.Body = mk.shorten(mk.redact.ofEscaped(p.Body))
	return p
}

// shorten cuts the middle out of a text of more than maxTokens: three quarters
// of what it may hold are its head, the rest its tail.
func (mk pinner) shorten(body []byte) []byte {
	if len(body) <= mk.maxTokens {
		return body // a token is at least a byte
	}
	text := unescaped(body)
	tokens := mk.count(text)
	if tokens <= mk.maxTokens {
		return body
	}
	keep := len(body) / tokens * mk.maxTokens
	head, rest := chat.CutEscaped(body, keep*3/4)
	middle, tail := chat.CutEscaped(rest, len(rest)-keep/4)
	if mk.keep != nil {
		mk.keep(text)
	}
	gap := fmt.Sprintf(" […about %s tokens left out here; ref=%s…] ", thousands(tokens*len(middle)/len(body)), mk.handle([]byte(text)))
	out := append([]byte(nil), head...)
	out = chat.AppendEscaped(out, gap)
	return append(out, tail...)
}

// says is text for a pin that is not made yet as well.
func (p *Pin) says() string {
	if p.source != nil {
		return p.source.Text()
	}
	return p.text()
}

// text returns what a pin says, decoded, for the sections that speak of it.
func (p *Pin) text() string { return unescaped(p.Body) }
