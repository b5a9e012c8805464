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
	// Longest returns the stored value of the longest prefix of at most most messages that has
	// one, and the number of messages of that prefix; nil if none has. renewed is true from time
	// to time: then the expiry of the value was extended because it is used, and the originals
	// that it hides must be passed to Keep again.
	Longest(ctx context.Context, most int) (
		value []byte, covers int, renewed bool, err error)
	// Put stores value for the prefix of covers messages unless there is a value already, and
	// returns the one that is then stored. It replaces the value of the prefix of replaced
	// messages; -1 means none.
	Put(ctx context.Context, covers, replaced int, value []byte) ([]byte, error)
	// Name identifies the prefix of this many messages among those of all conversations.
	Name(covers int) string
	// Place returns where the form of that prefix is stored, for readers without the conversation.
	Place(covers int) string
	// Ref returns the short name under which an original is kept.
	Ref(content []byte) string
	// LastSeen returns the store of the conversation's last-seen times, whatever its length. It
	// has no text of the messages.
	LastSeen() LastSeen
	// Keep stores originals under their refs. For those that are stored already, it extends the
	// expiry.
	Keep(ctx context.Context, originals []Original) error
}

// LastSeen stores when a conversation was last seen.
type LastSeen interface {
	// Get returns what Put stored last, nil if nothing.
	Get(ctx context.Context) ([]byte, error)
	Put(ctx context.Context, value []byte) error
}

// Original is the whole text of something that is no longer sent whole: an output that was masked,
// truncated or folded, or a long pinned message.
type Original struct {
	Ref     string
	Content []byte // nil if there is nothing to store; it must not be changed
}

// NewOriginal returns the original text, which is not copied. refOf returns the name under which
// content is kept.
func NewOriginal(text string, refOf func(content []byte) string) Original {
	content := unsafe.Slice(unsafe.StringData(text), len(text))
	return Original{Ref: refOf(content), Content: content}
}
