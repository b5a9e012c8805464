package view

import (
	"hash/maphash"
	"iter"
	"slices"
	"strconv"

	"killick/rawjson"
)

// Message is a view of one message. Its methods are not safe for concurrent use; use copies.
type Message struct {
	// Raw is the message as the client spells it: an object, or several and the bytes between them.
	Raw []byte

	format Format
	fields Fields
}

// Fields are what a format reads of a message: where its members are in Raw, and how it may be
// changed.
type Fields struct {
	Role    Role
	Content rawjson.Span
	Name    rawjson.Span
	CallID  rawjson.Span
	Calls   rawjson.Span
	Flags   Flags
	// Repeat is how many results of the same turn with the same CallID precede this one, in formats
	// whose calls have no ids.
	Repeat uint16
}

// Flags are the constraints on a message.
type Flags uint16

// The constraints. Without any, a message may be masked, folded and cut.
const (
	// Several: Raw is not one whole object of the list, but parts of one, or several objects.
	Several Flags = 1 << iota
	// Legacy: it makes a call by the legacy member function_call; see [Message.HasCalls].
	Legacy
	// Fixed: it must be sent as received, with its whole group.
	Fixed
	// Unknown: its type is not documented. It is kept, with its neighbours.
	Unknown
	// Signed: it has parts that the upstream verifies, such as signed or encrypted reasoning. The
	// upstream may refuse them if the messages before them have changed.
	Signed
	// StartsSigned: the first of its parts is signed.
	StartsSigned
	// Failed: it is a result that the format marks as that of a failed call.
	Failed
	// Held: only the server has a part of it. It must not be left out, with its whole group.
	Held
	// Defers: it has a call that the provider runs itself, and no result of that: the next message
	// of the model has it, or one after messages that are [Programmed].
	Defers
	// Programmed: a program that the provider runs made calls in it, or reads it in place of the
	// model. See [ToolCall.ByProgram].
	Programmed
	// Resumes: it has the result of such a call of an earlier message.
	Resumes
	// Hosts: it has calls that the provider ran itself, or results of such; see
	// [Message.HostedCalls].
	Hosts
)

// NewMessage returns a message. Only formats call it.
func NewMessage(f Format, raw []byte, fields Fields) Message {
	return Message{raw, f, fields}
}

// Format returns the format that m is in.
func (m *Message) Format() Format { return m.format }

// Fields returns what the format read of the message.
func (m *Message) Fields() *Fields { return &m.fields }

// Is reports whether the message has any of these flags.
func (m *Message) Is(flags Flags) bool { return m.fields.Flags&flags != 0 }

// Role returns the author of the message, "" if it names none.
func (m *Message) Role() Role { return m.fields.Role }

// Content returns the raw content: a string, an array of parts or null; nil if there is none.
func (m *Message) Content() rawjson.Value { return m.fields.Content.Of(m.Raw) }

// Name returns the name of the participant or of the tool, "" if none is given.
func (m *Message) Name() string { return m.fields.Name.Of(m.Raw).Text() }

// ToolCallID returns the id of the call that a tool message answers.
func (m *Message) ToolCallID() string {
	return RepeatedID(m.fields.CallID.Of(m.Raw).Text(), int(m.fields.Repeat))
}

// RepeatedID returns an id for a call without one: its name, and how many calls of the same message
// with that name precede it.
func RepeatedID(name string, repeat int) string {
	if repeat == 0 {
		return name
	}
	return name + "#" + strconv.Itoa(repeat)
}

// Field returns a member by its name, nil if there is none or if Raw is not a single object.
func (m *Message) Field(name string) rawjson.Value {
	if m.Is(Several) {
		return nil
	}
	return rawjson.Value(m.Raw).GetSkipping(name, m.fields.Content)
}

// ToolCall is one call that an assistant message makes.
type ToolCall struct {
	Raw       rawjson.Value // the whole call
	ID        string        // "" for a legacy function_call
	Type      string        // "function" if it has none
	Name      string
	Arguments rawjson.Value // the JSON string of a function's arguments or of a custom tool's input
	Legacy    bool          // a function_call, answered by a message of role function with its name
	// ByProgram: a program that the provider runs made the call. The result is for that program
	// alone, which reads all of it; the model never sees it.
	ByProgram bool
}

// Text returns the arguments as text: the text of the JSON string, or the value itself in formats
// that send arguments as a JSON value.
func (c *ToolCall) Text() string {
	switch c.Arguments.Kind() {
	case rawjson.Object, rawjson.Array:
		return string(c.Arguments)
	}
	return c.Arguments.Text()
}

// HasCalls reports whether the message calls a tool.
func (m *Message) HasCalls() bool {
	return (m.fields.Calls.End != 0 || m.Is(Legacy)) && len(m.ToolCalls()) > 0
}

// ToolCalls returns the calls that the message makes.
func (m *Message) ToolCalls() []ToolCall { return m.format.ToolCalls(m) }

// Part is one part of a message's content.
type Part struct {
	Type string        // "text", "image_url", "input_audio", "file", "refusal", …
	Raw  rawjson.Value // the whole part: an object, or a string content itself
	Text rawjson.Value // the JSON string of a text or refusal part, nil for others
	Key  string        // the name of the member that holds Text
	// Continues is whether the text goes on where that of the part before it ended, in the middle
	// of a sentence or of a word: replies are divided where they cite something.
	Continues bool
}

// WithText returns the part with its text replaced by quoted, a JSON string; its other members
// stay. A part without text is returned as it is.
func (p Part) WithText(quoted []byte) []byte {
	if p.Raw.Kind() == rawjson.String {
		return quoted
	}
	var text rawjson.Span
	_, _ = rawjson.WalkObject(p.Raw, 0, func(key rawjson.Span, at int) (int, error) {
		end, err := rawjson.Skip(p.Raw, at)
		if err == nil && key.Of(p.Raw).Is(p.Key) {
			text = rawjson.SpanOf(at, end)
		}
		return end, err
	})
	return rawjson.Replace(p.Raw, text, quoted)
}

// Parts yields the parts of the content. A string is one text part; null, absent and empty contents
// have none.
func (m *Message) Parts() iter.Seq[Part] { return m.format.Parts(m) }

// Text returns the text parts of the content, joined by line feeds.
func (m *Message) Text() string {
	if content := m.Content(); content.Kind() == rawjson.String {
		return content.Text()
	}
	var text []byte
	first := true
	for part := range m.Parts() {
		if part.Text == nil {
			continue
		}
		if !first && !part.Continues {
			text = append(text, '\n')
		}
		first = false
		text = part.Text.AppendText(text)
	}
	return string(text)
}

// OnlyText reports whether the content has only text: no images, audio or files.
func (m *Message) OnlyText() bool {
	for part := range m.Parts() {
		if part.Text == nil {
			return false
		}
	}
	return true
}

// Cited returns the pages and files that the model's text in the message cites, with the cited
// words if it has them, by the fields that the provider added to it, in order.
func (m *Message) Cited() []Source {
	if m.Role() != Assistant {
		return nil
	}
	return m.format.Cited(m)
}

// CitedBeside returns the pages and files that the message cites, as a result, without those of
// which it has no words and that are in one of the results.
func (m *Message) CitedBeside(results []*HostedResult) *HostedResult {
	found := map[Source]bool{}
	for _, r := range results {
		for _, s := range r.Sources {
			found[s] = true
		}
	}
	cited := slices.DeleteFunc(m.Cited(), func(s Source) bool { return found[s] })
	return &HostedResult{Sources: cited, Exit: -1}
}

// HostedCalls returns the calls in the message that the provider ran, and their results, in order.
func (m *Message) HostedCalls() []HostedCall {
	if !m.Is(Hosts) {
		return nil
	}
	return m.format.HostedCalls(m)
}

// WithContent returns the message with the bytes of its content replaced by content, which must be
// JSON; every other byte stays. A message without content is returned as it is.
func (m *Message) WithContent(content []byte) []byte { return m.format.WithContent(m, content) }

// AppendCanonical appends the bytes that identify the message in a conversation: role, name,
// content, calls and ids. It leaves out what changes from turn to turn without new content: cache
// marks anywhere, reasoning that clients drop when they send a message again, JSON white space and
// the spelling of escapes. A string equals one text part; absent, null and empty are equal. Halves
// of surrogate pairs stay distinct. Every item carries its length, so different messages have
// different bytes.
func (m *Message) AppendCanonical(dst []byte) []byte { return m.format.AppendCanonical(dst, m) }

// Fingerprint is a 128-bit hash of a message's bytes under seeds drawn at start-up: the key for
// what this process remembers about a message. It is never stored and means nothing to another
// process, and clients cannot construct collisions.
type Fingerprint [2]uint64

var fingerprintSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// Fingerprint returns the fingerprint of Raw.
func (m *Message) Fingerprint() (f Fingerprint) {
	for i, seed := range fingerprintSeeds {
		f[i] = maphash.Bytes(seed, m.Raw)
	}
	return f
}
