package probe

import (
	"strings"
	"unicode"

	"killick/probe/normal"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// Passages sets the passages of grounded statements: their quotes with the text beside and above
// them in their messages, since words there can reverse the meaning of a quote. It also sets what
// is related to them. Statements with a word that is removed with a credential are dropped.
func (c *Conversation) Passages(statements []Statement) (kept []Statement, dropped []Drop) {
	for _, s := range statements {
		i := s.At - c.first
		clean := c.cleaned(i)
		of := clean.outline
		if n := c.outsideOf(i, s.Quote); n >= 0 {
			of = clean.outside[n]
		}
		if s.Passage = of.passage(s.Quote); s.Passage == "" || c.removed(s.Text, i, clean.left()) {
			dropped = append(dropped, Drop{s, HoldsCredential})
			continue
		}
		kind, text := c.related(i, s.Quote)
		if text = bothEnds(text, 2*maxBeside); text != "" {
			s.Related = Related{kind, text}
		}
		kept = append(kept, s)
	}
	return kept, dropped
}

// removed reports whether a text has a word of a message that is not in what is left of it.
func (t *turns) removed(text string, i int, left string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '-' && r != '_'
	}) {
		if strings.Contains(t.texts[i], word) && !strings.Contains(left, word) {
			return true
		}
	}
	return false
}

// related returns what is related to a one-line quote of a message: the call that a result answers,
// the result of a call, the assistant's words that a user answers, and the user's message that
// directly precedes the assistant's words.
func (c *Conversation) related(i int, quote string) (Relation, string) {
	if n := c.outsideOf(i, quote); n >= 0 {
		if of := c.outside[i][n].call; of >= 0 {
			return ItsCall, normal.Line(c.redact(c.calls[of].Name + " " + c.calls[of].Raw))
		}
		return "", ""
	}
	if n := c.read.Answered(i); n >= 0 {
		call := c.read.Calls[n].Made()
		return ItsCall, normal.Line(c.redact(call.Name + " " + call.Raw))
	}
	switch c.writers[i] {
	case speech.Person:
		return Before, c.lastWords(i)
	case speech.Assistant:
		if strings.Contains(normal.Line(c.read.Messages[i].Text()), quote) {
			return Asked, c.typedBefore(i)
		}
		for _, n := range c.made[i] {
			call := &c.calls[n]
			if call.Result >= 0 &&
				strings.Contains(normal.Line(call.Raw+"\n"+call.Decoded()), quote) {
				return ItsResult, normal.Line(c.redact(c.returned(call)))
			}
		}
	}
	return "", ""
}

// returned returns the text of the result of a call.
func (c *Conversation) returned(call *transcript.Call) string {
	if call.Hosted {
		return c.read.Output(call, "")
	}
	return c.read.Text(call.Result)
}

// lastWords returns the assistant's last words before a message, "" if there are none since a
// person's last message.
func (c *Conversation) lastWords(before int) string {
	for i := before - 1; i >= 0; i-- {
		switch m := &c.read.Messages[i]; {
		case m.Role() == view.Assistant && strings.TrimSpace(m.Text()) != "":
			return c.cleaned(i).said
		case c.writers[i] == speech.Person:
			return ""
		}
	}
	return ""
}

// typedBefore returns what a person typed in the message before another, "" if nobody did.
func (c *Conversation) typedBefore(i int) string {
	if i == 0 || c.writers[i-1] != speech.Person {
		return ""
	}
	return c.cleaned(i - 1).said
}
