package speech

import (
	"strings"
	"unicode/utf8"

	"killick/view"
)

// Speaker is who wrote a message.
type Speaker string

// The speakers. A user message is a person's if a person typed anything in it or attached
// something, and the client's if the client wrote all of it, also beside what tools returned.
const (
	Operator  Speaker = "instructions" // system and developer messages
	Person    Speaker = "user"
	Client    Speaker = "client"
	Assistant Speaker = "assistant"
	Tool      Speaker = "tool"
	// a person, as far as the end of a tool's result says so: see Queued
	Relayed Speaker = "in a tool's result, as the user's"
)

// Message is one message, as far as it is understood.
type Message struct {
	Speaker Speaker
	// Spans are the parts of a user message's text, in order and without gaps; nil for other
	// messages, and beside what tools returned. Offsets are into Text.
	Spans []Span
	Text  string // decoded, the text parts joined by line feeds; only of user messages
	Media bool   // it has parts other than text
	// OfTools is whether tools returned these parts, in the results before it.
	OfTools bool
	// Observed is set if the message is what a call in text returned, and nothing else.
	Observed *Observed
	// Blocks are the client's blocks in those parts of a user message's text in which a person
	// typed nothing: a person who writes about a block may quote it.
	Blocks []string
}

// Read reads one message. before is the message before it, nil if there is none.
func Read(m, before *view.Message) *Message {
	switch role := m.Role(); {
	case role.Instructs():
		return &Message{Speaker: Operator}
	case role == view.Assistant:
		return &Message{Speaker: Assistant}
	case role.Result():
		return &Message{Speaker: Tool}
	}
	read := &Message{Speaker: Client, Media: !m.OnlyText()}
	var texts []string
	var results returned
	size := 0
	for part := range m.Parts() {
		if part.Text == nil {
			continue
		}
		at := size
		if at > 0 {
			at++ // for a line feed
			if n := len(read.Spans); n > 0 {
				read.Spans[n-1].End = at // the line feed between two parts
			}
		}
		text := part.Text.Text()
		if size = at + len(text); size > 0 {
			texts = append(texts, text)
		}
		spans := spansOf(text)
		if with := results.add(text, at, before); with != nil {
			spans = with
		} else if !typed(text, spans) {
			read.Blocks = appendBlocks(read.Blocks, text, spans)
		}
		for _, s := range spans {
			s.Start, s.End = s.Start+at, s.End+at
			read.Spans = append(read.Spans, s)
		}
	}
	read.Text = strings.Join(texts, "\n")
	if results.first == nil {
		read.Spans = withResult(read.Text, read.Spans, before)
	} else if !results.ended && !read.Media && strings.TrimSpace(results.first.Call) != "" {
		read.Observed = results.first
	}
	switch read.OfTools = read.Media && ofTools(read.Text, before); {
	case read.OfTools:
		read.Spans, read.Blocks = nil, nil
	case read.Media || typed(read.Text, read.Spans):
		read.Speaker = Person
	}
	return read
}

// typed reports whether a person typed some of a text.
func typed(text string, spans []Span) bool {
	for _, s := range spans {
		if s.Kind.Typed() && strings.TrimSpace(text[s.Start:s.End]) != "" {
			return true
		}
	}
	return false
}

// appendBlocks adds the blocks of a text.
func appendBlocks(blocks []string, text string, spans []Span) []string {
	for _, s := range spans {
		if s.Kind == Block {
			blocks = append(blocks, text[s.Start:s.End])
		}
	}
	return blocks
}

// Words returns what a person typed: the text without the client's blocks and without documents. It
// includes code and quotations.
func (m *Message) Words() string { return strings.TrimSpace(typedText(m.Text, m.Spans)) }

// Passages returns Words, divided where documents stand among them. A passage at the beginning or
// the end is empty if a document precedes or follows all words.
func (m *Message) Passages() (passages []string) {
	from := 0
	for i := 0; i <= len(m.Spans); i++ {
		if i < len(m.Spans) && m.Spans[i].Kind != Document {
			continue
		}
		words := strings.TrimSpace(typedText(m.Text, m.Spans[from:i]))
		if words != "" || from == 0 || i == len(m.Spans) {
			passages = append(passages, words)
		}
		from = i + 1
	}
	return passages
}

// Plain returns Words without code and quotations: only the person's own sentences.
func (m *Message) Plain() string { return strings.TrimSpace(typedText(m.Text, m.Spans, Typed)) }

// terseLength is the length, in characters, up to which an answer is not understood without its
// question: "1+2", "Ja, nach 30 Tagen".
const terseLength = 40

// Terse reports whether the words are so few that they need the question that they answer.
func (m *Message) Terse() bool {
	words := m.Words()
	return m.Speaker == Person && words != "" && utf8.RuneCountInString(words) <= terseLength
}
