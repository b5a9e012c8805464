package view

import (
	"iter"

	"killick/rawjson"
)

// Format reads and writes the JSON of one wire format. It has no state. Its methods that take a
// message are those of [Message], which says what they do.
type Format interface {
	// Name is the format's name in settings, metrics and logs.
	Name() string
	// Within is the name of the member of a body that holds the request, "" if the body is the
	// request. Beside that member, the body names the model.
	Within() string
	// List is the name of the member of a request that holds the conversation.
	List() string
	// Read reads the element of the list that starts at l.Body[at], adds its messages to l and
	// returns the offset just past the element.
	Read(l *List, at int) (end int, err error)
	// Open reports whether the next element of the list may become a part of m.
	Open(m *Message) bool
	// Message reads one message on its own: bytes that were [Message.Raw], were made from that by
	// WithContent, or are a message of the user as [Spelling.UserMessage] writes it.
	Message(raw []byte) (Message, error)

	// Spelling returns how the format spells JSON that is written anew.
	Spelling() Spelling

	Parts(m *Message) iter.Seq[Part]
	ToolCalls(m *Message) []ToolCall
	// HostedCalls is called only for messages that the format marks as [Hosts].
	HostedCalls(m *Message) []HostedCall
	// Cited is called only for messages of the model.
	Cited(m *Message) []Source
	WithContent(m *Message, content []byte) []byte
	AppendCanonical(dst []byte, m *Message) []byte
	// Mark returns the pieces of a changed conversation with cache marks where the upstream's cache
	// needs them. It adds no mark that is of no use to the client or that the upstream would
	// refuse.
	Mark(r *Request, pieces []Piece) []Piece
	// WithoutSigned returns the message without its [Signed] parts, nil if nothing is left.
	WithoutSigned(m *Message) []byte

	// Rules returns what the upstream demands of a changed request.
	Rules(r *Request) Rules
	// Preamble returns the preamble of a request, without instructions among its messages.
	Preamble(r *Request) Preamble
	// Limits returns the sizes that a request asks for.
	Limits(r *Request) Limits
}

// Piece is a part of the conversation of a new body.
type Piece struct {
	// From and To are, without Raw, the unchanged messages [From, To) of the request and the bytes
	// between them.
	From, To int
	// Raw is a message. If To is From+1, it replaces message From and has the same spelling (see
	// [Message.WithContent]); if From and To are equal, it is a new one.
	Raw []byte
}

// Limits are the sizes that a request asks for, in tokens; 0 where it does not say.
type Limits struct {
	Output int // of the completion
	Window int // of prompt and completion together, whatever the model's own is
}

// Passthrough is why a request must be forwarded as received.
type Passthrough string

// The reasons.
const (
	ServerState Passthrough = "server_state" // only the server has a part of the conversation
	Managed     Passthrough = "managed"      // the provider compacts the conversation itself
)

// Rules are what an upstream demands of a changed request.
type Rules struct {
	// Passthrough is why the request must be forwarded as received; "" if it may be changed.
	Passthrough Passthrough
	// Held: only the server has a part of some messages, which are marked [Held].
	Held bool
	// DropSigned: [Signed] parts after a change must be left out. Otherwise they stay.
	DropSigned bool
	// StartSigned: an assistant message that follows a result and does not begin with a [Signed]
	// part must stay with the messages before it.
	StartSigned bool
	// LateResults: the result of a call may follow later messages of the model.
	LateResults bool
	// UserFirst: the first message must be the user's.
	UserFirst bool
	// InstructsModel: an instruction among the messages must follow a message of the user and
	// precede one of the model.
	InstructsModel bool
	// Summarizes: the API writes summaries on request. Such a summary is a message that must be
	// sent first, as received, in place of the messages that it summarizes. [Signed] parts of the
	// messages right after those stay valid.
	Summarizes bool
}

// Preamble is what every request of a conversation sends again before its turns: tools,
// instructions and the like. Leading instructions that are messages belong to it too; they are in
// the list of messages only.
type Preamble struct {
	Tools        []rawjson.Value // arrays of definitions
	Instructions []rawjson.Value // JSON strings
	// Uncached are instructions, as JSON strings, that the provider ignores when it looks up its
	// cache.
	Uncached []rawjson.Value
	Choice   rawjson.Value // the tool that the model must call
	Schema   rawjson.Value // of a structured reply
}
