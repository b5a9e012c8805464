package transcript

import (
	"bytes"
	"sort"

	"killick/reference"
	"killick/transcript/results"
	"killick/transcript/speech"
	"killick/view"
)

// Transcript is a range of messages with the calls that they make. All indexes are indexes in
// Messages.
type Transcript struct {
	Messages []view.Message
	Calls    []Call // that messages answer, in order

	from    int
	answers []int // for each message from index from on, the call that it answers, or -1
	memo    *Memo
}

// Read reads msgs starting at message from, which must begin one of the groups. Earlier calls are
// not in the result.
func Read(msgs []view.Message, groups []view.Group, from int) *Transcript {
	return NewMemo(nil).Read(msgs, groups, from)
}

// Read is like [Read], for messages that are a prefix of the memo's conversation.
func (memo *Memo) Read(msgs []view.Message, groups []view.Group, from int) *Transcript {
	t := &Transcript{Messages: msgs, from: from, answers: make([]int, len(msgs)-from), memo: memo}
	for i := range t.answers {
		t.answers[i] = -1
	}
	first := sort.Search(len(groups), func(i int) bool { return groups[i].Start >= from })
	for _, g := range groups[first:] {
		if g.End > len(msgs) {
			continue
		}
		read := memo.group(msgs, groups, g)
		if len(read.calls) > 0 && read.calls[0].Caller < from {
			continue // of a call in text, which is not among the messages
		}
		for _, a := range read.answers {
			t.answers[a.message-from] = len(t.Calls) + a.call
		}
		t.Calls = append(t.Calls, read.calls...)
	}
	memo.scripts.store()
	return t
}

// ReadAll reads a whole conversation.
func ReadAll(msgs []view.Message) *Transcript { return Read(msgs, view.Groups(msgs), 0) }

// Answered returns the index in Calls of the call that message i answers, -1 if it answers none.
func (t *Transcript) Answered(i int) int {
	if i < t.from {
		return -1
	}
	return t.answers[i-t.from]
}

// Message returns message i, as far as it is understood.
func (t *Transcript) Message(i int) *speech.Message {
	return t.memo.message(t.Messages, i)
}

// Ended is what a client says of a command or a sub-agent in the background: see [results.Ended].
type Ended = results.Ended

// EndedIn returns the commands and sub-agents in the background of which message i, one of the
// user's role, says that they have ended. What a person quotes of such words may be about others.
func (t *Transcript) EndedIn(i int) (list []Ended) {
	for _, block := range t.Message(i).Blocks {
		if e, ok := results.Notice(block); ok {
			list = append(list, e)
		}
	}
	return list
}

// Persons returns the messages of persons in [from, to), in order. The slice must not be changed.
func (t *Transcript) Persons(from, to int) []int {
	return t.memo.persons.In(from, to, func(i int) bool {
		return t.Messages[i].Role() == view.User && t.Message(i).Speaker == speech.Person
	})
}

// Clients returns the user messages in [from, to) that have a text and that the client wrote alone,
// in order, but for those with what tools returned. The slice must not be changed.
func (t *Transcript) Clients(from, to int) []int {
	return t.memo.clients.In(from, to, func(i int) bool {
		return t.Messages[i].Role() == view.User && t.Message(i).Speaker != speech.Person &&
			t.Message(i).Text != "" && !t.Message(i).OfTools
	})
}

// Queued returns the results in [from, to) that end with a person's words, in order: see
// [speech.Queued]. The slice must not be changed.
func (t *Transcript) Queued(from, to int) []int { return t.memo.queued.In(from, to, t.HasQueued) }

// queuedBytes is how far from the end of a result the tag after a person's words begins at most.
const queuedBytes = 100

// HasQueued reports whether message i is a result that ends with a person's words.
func (t *Transcript) HasQueued(i int) bool {
	m := &t.Messages[i]
	raw := m.Content()
	return m.Role().Result() && bytes.Contains(raw[max(0, len(raw)-queuedBytes):],
		[]byte(speech.ReminderTag)) && len(speech.Queued(t.Text(i))) > 0
}

// Text returns the text of message i; of what a call in text returned, that alone. It is decoded
// once.
func (t *Transcript) Text(i int) string { return t.memo.text(t.Messages, i) }

// NoteReferences notes the references in the text of message i, for [Transcript.EachReference].
func (t *Transcript) NoteReferences(i int, found []reference.Found) {
	t.memo.references[i] = found
}

// EachReference calls yield with the references in what is read of message i. If that is its whole
// text, and they were noted, it is not read again.
func (t *Transcript) EachReference(
	i int, text string, yield func(word string, kind reference.Kind),
) {
	found, noted := t.memo.references[i]
	if !noted || text != t.Text(i) {
		reference.Each(text, yield)
		return
	}
	for _, f := range found {
		yield(f.Word, f.Kind)
	}
}

// CallsBefore returns the calls made before message to.
func (t *Transcript) CallsBefore(to int) []Call {
	n := len(t.Calls)
	for n > 0 && (t.Calls[n-1].Caller >= to || t.Calls[n-1].Written && t.Calls[n-1].Result >= to) {
		n--
	}
	return t.Calls[:n:n]
}
