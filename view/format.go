package view

import (
	"iter"
	"slices"

	"killick/rawjson"
)

// Format reads and writes the JSON of one wire format. It has no state. Its methods that take a
// message are those of [Message], which says what they do.
type Format interface {
	// Name is the format's name in settings, metrics and logs.
	Name() string
	// List is the name of the member of a body that holds the conversation.
	List() string
	// Read reads the element of the list that starts at l.Body[at], adds its messages to l and
	// returns the offset just past the element.
	Read(l *List, at int) (end int, err error)
	// Open reports whether the next element of the list may become a part of m.
	Open(m *Message) bool
	// Message reads one message on its own: bytes that were [Message.Raw], were made from that by
	// WithContent, or are a message of the user as [UserMessage] writes it.
	Message(raw []byte) (Message, error)

	// Spelling says how what is written again is spelled.
	Spelling() Spelling

	Parts(m *Message) iter.Seq[Part]
	ToolCalls(m *Message) []ToolCall
	WithContent(m *Message, content []byte) []byte
	AppendCanonical(dst []byte, m *Message) []byte
	// Mark returns the pieces of a changed conversation with cache marks where the upstream's cache
	// needs them. It adds none that the client has no use for or that the upstream would refuse.
	Mark(r *Request, pieces []Piece) []Piece
	// WithoutBound returns the message without its [Bound] parts, nil if nothing is left.
	WithoutBound(m *Message) []byte

	// Rules returns what the upstream demands of a request that is changed.
	Rules(r *Request) Rules
	// Standing returns what a request sends again at every turn beside its messages.
	Standing(r *Request) Standing
	// MaxOutput returns how many tokens of completion a request asks for, 0 if it does not say.
	MaxOutput(r *Request) int
}

// Spelling is how a format spells what is written again.
type Spelling struct {
	TextPart    string // the type of a text part of a user's message
	MarkedParts bool   // cache marks are on parts, never on messages
	// Messages of the same role that follow one another are one turn to every upstream.
	JoinsTurns bool
}

// Leave is why a request must be forwarded as received.
type Leave string

// The reasons.
const (
	ServerState Leave = "server_state" // a part of the conversation is at the server alone
	Managed     Leave = "managed"      // the provider compacts the conversation itself
)

// Rules are what an upstream demands of a request that is changed.
type Rules struct {
	// Leave says, if it is not empty, why the request must be forwarded as received.
	Leave Leave
	// DropBound: [Bound] parts after a change are left out. Else they stay as they are.
	DropBound bool
	// StartBound: where an assistant message follows a result and does not begin with a [Bound]
	// part, it stays with what is before it.
	StartBound bool
	// UserFirst: the first message is the user's.
	UserFirst bool
	// InstructsModel: an instruction among the messages follows one of the user and precedes one of
	// the model.
	InstructsModel bool
	// Summarizes: the API writes summaries itself when it is asked to. Such a summary is a message
	// that must be sent first, as received, in the place of the messages that it is of. [Bound]
	// parts of the messages that follow those directly stay valid after it.
	Summarizes bool
}

// Standing is what a request sends again at every turn beside its messages.
type Standing struct {
	Tools        []rawjson.Value // arrays of definitions
	Instructions []rawjson.Value // JSON strings
	// Uncached are instructions that the provider leaves out of what it caches by, JSON strings.
	Uncached []rawjson.Value
	Choice   rawjson.Value // the tool that the model is to call
	Schema   rawjson.Value // of a structured reply
}

// List is the conversation of a request while it is read.
type List struct {
	Body     []byte
	Messages []Message
	places   []place
	full     bool // there were more than MaxMessages
}

// MaxMessages bounds the messages of a request. What is known of one takes some 500 bytes, and a
// message may have 16: without a bound a request could take many times its size. A million tokens
// are of fewer messages than this.
const MaxMessages = 100_000

// place is where in the body a message stands, and the elements of the list that hold it.
type place struct{ start, end, elementStart, elementEnd int32 }

// Add adds a message to the list. Its Raw must be a slice of the body.
func (l *List) Add(m Message, start int) {
	if len(l.Messages) >= MaxMessages {
		l.full = true
		return
	}
	if n := len(l.Messages); n == cap(l.Messages) && n >= minGrown {
		l.grow(start)
	}
	l.Messages = append(l.Messages, m)
	l.places = append(l.places, place{start: int32(start), end: int32(start + len(m.Raw))})
}

const (
	// minGrown is the number of messages from which a list is made as long as it may become.
	minGrown = 16
	// bytesPerRoom is for how many bytes of a body there is room for a message at the least, a
	// hundred bytes, before there are more.
	bytesPerRoom = 512
)

// grow makes room for the messages that follow at start, by how many there were so far.
func (l *List) grow(start int) {
	n, read := len(l.Messages), start-int(l.places[0].start)
	if read > 0 {
		rest := (len(l.Body) - start) / (read/n + 1)
		// They may be longer than those so far.
		rest = min(rest, max(3*n, len(l.Body)/bytesPerRoom)) + n/8
		l.Messages, l.places = slices.Grow(l.Messages, rest), slices.Grow(l.places, rest)
	}
}

// Extend makes the last message of the list end at end, with what is between.
func (l *List) Extend(end int) *Message {
	last := len(l.Messages) - 1
	l.places[last].end = int32(end)
	l.Messages[last].Raw = l.Body[l.places[last].start:end:end]
	return &l.Messages[last]
}

// read reads the element at an offset.
func (l *List) read(f Format, at int) (int, error) {
	n := len(l.Messages)
	end, err := f.Read(l, at)
	if err == nil && l.full {
		err = ErrTooMany
	}
	if err != nil {
		return end, err
	}
	if n > 0 && n == len(l.Messages) { // it became a part of the last
		l.places[n-1].elementEnd = int32(end)
	}
	for i := n; i < len(l.places); i++ {
		l.places[i].elementStart, l.places[i].elementEnd = int32(at), int32(end)
	}
	return end, nil
}
