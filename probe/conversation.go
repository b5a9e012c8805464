package probe

import (
	"strings"

	"killick/probe/normal"
	"killick/transcript/speech"
	"killick/view"
)

// Conversation is a whole conversation, for what a verifier sees beside grounded statements. It
// removes credentials from each message once, before anything is cut out of it. It is not safe for
// concurrent use.
type Conversation struct {
	turns
	redact func(text string) string
	clean  []*cleaned // by message, made at first use
}

// cleaned is the text of a message without credentials.
type cleaned struct {
	outline *outline // all that its writer wrote, with its calls
	said    string   // on one line, without the calls and, if a person wrote it, what others added
	shown   []string // on one line: what its writer wrote, with the calls, and each text outside
	outside []*outline
}

// left returns all texts of the message, each on one line.
func (c *cleaned) left() string {
	texts := []string{c.outline.text}
	for _, o := range c.outside {
		texts = append(texts, o.text)
	}
	return strings.Join(texts, "\n")
}

// NewConversation reads a conversation without its leading instructions. redact removes credentials
// from a text.
func NewConversation(msgs []view.Message, redact func(text string) string) *Conversation {
	return &Conversation{
		turns: readTurns(msgs, 1), redact: redact, clean: make([]*cleaned, len(msgs)),
	}
}

// cleaned returns the text of a message without credentials. The value of an argument is redacted
// together with its name, which can show that it is a credential.
func (c *Conversation) cleaned(i int) *cleaned {
	if c.clean[i] != nil {
		return c.clean[i]
	}
	text := c.read.Messages[i].Text()
	said := c.redact(text)
	all := c.withCalls(i, said)
	of := &cleaned{outline: newOutline(strings.ToValidUTF8(all, "\uFFFD"))}
	of.shown = []string{normal.Plain(of.outline.text)}
	for _, o := range c.outside[i] {
		o := newOutline(strings.ToValidUTF8(c.redact(o.raw), "\uFFFD"))
		of.outside, of.shown = append(of.outside, o), append(of.shown, normal.Plain(o.text))
	}
	switch words := c.read.Message(i).Words(); {
	case c.writers[i] == speech.Person && words != text:
		of.said = normal.Line(c.redact(words))
		of.shown[0] = normal.Plain(of.said)
	case all != said:
		of.said = normal.Line(said)
	default:
		of.said = of.outline.text
	}
	c.clean[i] = of
	return of
}

// withCalls returns the words of a message with the calls that it makes, without credentials.
func (c *Conversation) withCalls(i int, said string) string {
	var all strings.Builder
	all.WriteString(said)
	add := func(text string) { all.WriteString("\n" + c.redact(text)) }
	for _, n := range c.made[i] {
		call := &c.calls[n]
		if of := call.Made(); call.Alone() {
			add(of.Name + " " + of.Raw)
		}
		if call.Began() >= 0 { // an earlier message has the arguments
			continue
		}
		add(call.Name + " " + call.Raw)
		for _, arg := range call.Args {
			add(arg.Key + ": " + arg.Text)
		}
	}
	return all.String()
}
