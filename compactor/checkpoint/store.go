package checkpoint

import (
	"context"
	"unsafe"

	"killick/view"
)

// Store keeps checkpoints by the conversation prefix that they cover, and the originals of masked
// outputs. It is a cache: what it loses is made again.
type Store interface {
	// Conversation returns the place of one conversation's checkpoints. who is the keyed hash of
	// the credential; msgs are those after the leading instructions, and memory is theirs.
	Conversation(who string, msgs []view.Message, memory *view.Memory) Conversation
}

// Conversation is the part of a Store that one request may see.
type Conversation interface {
	// Longest returns what is stored for the longest prefix of at most so many messages
	// that has anything, and the number of messages of that prefix; nil if none has.
	// renewed says, now and then, that what is found is kept longer for being used; then
	// the originals that it hides are handed to Keep again.
	Longest(ctx context.Context, most int) (
		value []byte, covers int, renewed bool, err error)
	// Put stores value for the prefix of covers messages unless there is one already, and
	// returns the one that is stored then. It takes the place of what is stored for replaced
	// messages, -1 for nothing.
	Put(ctx context.Context, covers, replaced int, value []byte) ([]byte, error)
	// Name identifies the prefix of this many messages among those of all conversations.
	Name(covers int) string
	// Place says where the form of that prefix is stored, to whoever has no conversation.
	Place(covers int) string
	// Handle returns the short name under which content is kept.
	Handle(content []byte) string
	// LastSeen is where it is stored when the conversation was last seen, whatever its length. It
	// holds none of the messages.
	LastSeen() LastSeen
	// Keep stores originals under their handles, for as long again where they are stored
	// already.
	Keep(ctx context.Context, originals []Original) error
}

// LastSeen stores when a conversation was last seen.
type LastSeen interface {
	// Get returns what Put stored last, nil if nothing.
	Get(ctx context.Context) ([]byte, error)
	Put(ctx context.Context, value []byte) error
}

// Original is the whole of what is no longer sent whole: an output that was masked,
// truncated or folded, a long pinned message.
type Original struct {
	Handle  string
	Content []byte // nil where there is nothing to keep; nobody may change it
}

// NewOriginal returns the original text, which is not copied. handle returns the name under which
// content is kept.
func NewOriginal(text string, handle func(content []byte) string) Original {
	content := unsafe.Slice(unsafe.StringData(text), len(text))
	return Original{Handle: handle(content), Content: content}
}
