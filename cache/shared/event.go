package shared

import "killick/cache"

// Replicas send each other events in a stream, which each reads from its last position: deletions,
// and facts. Events are sealed like values, and are kept as long as what they are about.

// Kind is what an event is about.
type Kind byte

// The kinds of events.
const (
	ForgetConversation Kind = iota + 1
	ForgetOwner
	ForgetAll
	Fact // defined by the caller
)

// Event is what a replica announced.
type Event struct {
	Kind Kind
	Who  string // the owner, for all kinds except ForgetAll

	Keys []cache.Key // of a deleted conversation
	Refs []string    // of its originals

	Topic string // of a fact
	Value []byte
}

// isAbout returns a function that reports whether a pending write belongs to what was deleted.
func (e *Event) isAbout() func(*write) bool {
	if e.Kind != ForgetConversation {
		return func(w *write) bool { return e.Kind == ForgetAll || w.who == e.Who }
	}
	tags, originals := map[string]bool{}, map[string]bool{}
	for _, key := range e.Keys {
		tags[tagOf(key)] = true // of first messages, and of the empty prefix
	}
	for _, ref := range e.Refs {
		originals[originalName(e.Who, ref)] = true
	}
	return func(w *write) bool {
		return w.who == e.Who && (originals[w.name] || tags[tagIn(w.name)])
	}
}
