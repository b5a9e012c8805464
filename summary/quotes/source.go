package quotes

import (
	"slices"

	"killick/transcript"
	"killick/view"
)

// Source is the conversation that is quoted.
type Source struct {
	*transcript.Transcript
	// Redact removes credentials from a text. If nil, they stay.
	Redact func(text string) string
	// Place returns the number of tokens before message i. If nil, i itself.
	Place func(i int) int

	// Memo caches what is read of the messages. If nil, the Source makes its own.
	Memo *Memo
}

// Redacted returns a text without credentials.
func (s *Source) Redacted(text string) string {
	if s.Redact == nil {
		return text
	}
	return s.Redact(text)
}

// PlaceOf returns the number of tokens before message i.
func (s *Source) PlaceOf(i int) int {
	if s.Place == nil {
		return i
	}
	return s.Place(i)
}

// SafeCall returns a call without credentials in its command and its arguments. They are removed
// before anything is cut: half of a credential is not recognized.
func (s *Source) SafeCall(c *transcript.Call) *transcript.Call {
	if s.Redact == nil {
		return c
	}
	safe := *c
	safe.Command = s.Redact(c.Command)
	safe.Args = slices.Clone(c.Args)
	for i := range safe.Args {
		safe.Args[i].Text = s.Redact(c.Args[i].Text)
	}
	return &safe
}

func (s *Source) memo() *Memo {
	if s.Memo == nil {
		s.Memo = NewMemo()
	}
	return s.Memo
}

// safeWords returns what a person or the assistant wrote in message i, without credentials.
func (s *Source) safeWords(i int) string {
	return cached(s.memo().said, i, func() string { return s.Redacted(s.words(i)) })
}

func (s *Source) words(i int) string {
	if s.Messages[i].Role() == view.User {
		return s.Message(i).Words()
	}
	return s.Text(i)
}

// SafeOutput returns the output of a call, without credentials and without the frame that agents
// put around it.
func (s *Source) SafeOutput(c *transcript.Call) string {
	find := func() string { return s.Redacted(s.Output(c, s.Text(c.Result))) }
	if !c.PrintedAll() {
		return find()
	}
	return cached(s.memo().output, c.Result, find)
}
