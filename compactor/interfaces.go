package compactor

import (
	"context"

	"killick/chat"
)

// Counter counts tokens for one model. Its counts must not change from turn to
// turn: frontiers follow from them.
type Counter interface {
	// Message returns the tokens of a message in its place in a request.
	Message(m *chat.Message) int
	// Overhead returns the tokens of a request beside its messages.
	Overhead(r *chat.Request) int
	// Text returns the tokens of a text.
	Text(s string) int
	// Ratio is how many tokens the model may count for one of these, 1 at least.
	// It may change: it only brings the trigger down where the model's window
	// would be missed otherwise.
	Ratio() float64
}

// Sampler is a Counter that can tell of a body, without reading all of it, that
// its request has at most limit tokens, media apart. It may be wrong once in a
// million; false says nothing.
type Sampler interface {
	AtMost(body []byte, limit int) bool
}

// Store keeps checkpoints by the conversation prefix that they cover, and the
// originals of masked outputs. It is a cache: what it loses is made anew.
type Store interface {
	// Conversation gives the place of one conversation's checkpoints. who is the
	// keyed hash of the credential; msgs are those behind the leading
	// instructions.
	Conversation(who string, msgs []chat.Message) Conversation
}

// Conversation is the part of a Store that one request may see.
type Conversation interface {
	// Longest returns what is stored for the longest prefix of at most so many
	// messages that has anything, and the number of messages of that prefix; nil
	// if none has. renewed tells, now and then, that what is found is kept longer
	// for being used; then the originals that it hides are handed to Keep again.
	Longest(ctx context.Context, most int) (value []byte, covers int, renewed bool, err error)
	// Put stores value for the prefix of covers messages unless there is one
	// already, and returns the one that stands.
	Put(ctx context.Context, covers int, value []byte) ([]byte, error)
	// Name tells prefixes of conversations apart, this one's of so many messages
	// from all others.
	Name(covers int) string
	// Handle returns the short name under which content is kept.
	Handle(content []byte) string
	// Keep stores originals under their handles, for as long again where they are
	// stored already.
	Keep(ctx context.Context, originals []Original) error
}

// Original is the whole of what is not sent whole any more: an output that was
// masked, shortened or folded, a long pinned message.
type Original struct {
	Handle  string
	Content []byte
}

// Verdict is what the probe of a model's part says of it.
type Verdict string

// The verdicts, best first. Unprobed is none: no question could be asked.
const (
	Pass     Verdict = "pass"
	SoftFail Verdict = "soft_fail"
	HardFail Verdict = "hard_fail"
	Unprobed Verdict = "unprobed"
)

// Probe is what was proven of a record, and by what.
type Probe struct {
	// Held of Of are the things that the newly replaced turns hold by structure and
	// that the record told before any repair.
	Held     int `json:"held"`
	Of       int `json:"of"`
	Repaired int `json:"repaired,omitempty"` // lines that were added for the rest
	// Model is of what a model wrote in the record; nil where none did.
	Model *ModelProbe `json:"model,omitempty"`
}

// Coverage is the share that was held, 1 where there was nothing to hold.
func (p *Probe) Coverage() float64 {
	if p.Of == 0 {
		return 1
	}
	return float64(p.Held) / float64(p.Of)
}

// ModelProbe is what was proven of a model's statements. Where some of a record were
// proven at one fold and some at another, it is the worse of both.
type ModelProbe struct {
	Verdict  Verdict `json:"verdict"`
	Score    float64 `json:"score"`             // of the answers from the statements; 0 where none were asked for
	Verified int     `json:"verified"`          // statements that another call found supported by their quotes
	Written  int     `json:"written"`           // of so many
	Asked    int     `json:"asked,omitempty"`   // questions
	Carried  bool    `json:"carried,omitempty"` // all this is of statements that an earlier fold proved
}
