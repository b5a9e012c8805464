package transcript

import (
	"bytes"
	"sort"

	"killick/internal/series"
	"killick/reference"
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

// Memo caches what was read of the messages of one conversation, so that several transcripts read
// each message once. It is not safe for concurrent use.
type Memo struct {
	messages map[int]*speech.Message
	texts    map[int]string     // by message
	groups   map[int]*groupRead // by first message
	persons  series.Matches     // the messages of persons
	clients  series.Matches     // the messages of clients that have a text
	queued   series.Matches     // the results that end with a person's words

	references map[int][]reference.Found // by message: those in its text, where they were noted

	scripts following
}

// groupRead has the calls and answers of a group of messages.
type groupRead struct {
	end     int
	calls   []Call
	answers []answer
	said    []said
}

// answer says that a message answers a call, by its index in the group.
type answer struct{ message, call int }

// NewMemo returns a Memo for a conversation. What later requests of it need is kept in its memory,
// which may be nil.
func NewMemo(memory *view.Memory) *Memo {
	return &Memo{
		messages: map[int]*speech.Message{}, texts: map[int]string{},
		groups: map[int]*groupRead{}, references: map[int][]reference.Found{},
		scripts: following{memory: memory},
	}
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
	if t.memo.messages[i] == nil {
		var before *view.Message
		if i > 0 {
			before = &t.Messages[i-1]
		}
		t.memo.messages[i] = speech.Read(&t.Messages[i], before)
	}
	return t.memo.messages[i]
}

// Persons returns the messages of persons in [from, to), in order. The slice must not be changed.
func (t *Transcript) Persons(from, to int) []int {
	return t.memo.persons.In(from, to, func(i int) bool {
		return t.Messages[i].Role() == view.User && t.Message(i).Speaker == speech.Person
	})
}

// Clients returns the user messages in [from, to) that have a text and that the client wrote alone,
// in order. The slice must not be changed.
func (t *Transcript) Clients(from, to int) []int {
	return t.memo.clients.In(from, to, func(i int) bool {
		return t.Messages[i].Role() == view.User && t.Message(i).Speaker != speech.Person &&
			t.Message(i).Text != ""
	})
}

// Queued returns the results in [from, to) that end with a person's words, in order: see
// [speech.Queued]. The slice must not be changed.
func (t *Transcript) Queued(from, to int) []int { return t.memo.queued.In(from, to, t.HasQueued) }

// HasQueued reports whether message i is a result that ends with a person's words.
func (t *Transcript) HasQueued(i int) bool {
	m := &t.Messages[i]
	raw := m.Content()
	return m.Role().Result() && bytes.Contains(raw[max(0, len(raw)-endBytes/20):],
		[]byte(speech.ReminderTag)) && len(speech.Queued(t.Text(i))) > 0
}

// Text returns the text of message i. It is decoded once.
func (t *Transcript) Text(i int) string { return t.memo.text(t.Messages, i) }

func (memo *Memo) text(msgs []view.Message, i int) string {
	text, ok := memo.texts[i]
	if !ok {
		text = msgs[i].Text()
		memo.texts[i] = text
	}
	return text
}

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
	for n > 0 && t.Calls[n-1].Caller >= to {
		n--
	}
	return t.Calls[:n:n]
}

// group returns the calls and answers of g, one of the groups of msgs.
func (memo *Memo) group(msgs []view.Message, groups []view.Group, g view.Group) *groupRead {
	read := memo.groups[g.Start]
	if read == nil || read.end != g.End {
		read = memo.readGroup(msgs, groups, g)
		memo.groups[g.Start] = read
	}
	return read
}

// readGroup pairs the calls of a group with their results. A result belongs to the nearest earlier
// call with its id that has no result yet.
func (memo *Memo) readGroup(
	msgs []view.Message, groups []view.Group, g view.Group,
) *groupRead {
	read := &groupRead{end: g.End}
	waiting := map[string][]int{}
	for i := g.Start; i < g.End; i++ {
		m := &msgs[i]
		if m.Role().Result() {
			key := m.ToolCallID()
			if m.Role() == view.Function {
				key = "\x00" + m.Name()
			}
			open := waiting[key]
			if len(open) == 0 {
				continue
			}
			last := open[len(open)-1]
			waiting[key] = open[:len(open)-1]
			c := &read.calls[last]
			resumed := memo.resume(read, c, msgs, groups, g, i)
			read.answers = append(read.answers, answer{i, last})
			c.answer(m, i, func() string { return memo.text(msgs, i) })
			read.note(c, m, resumed)
			continue
		}
		if m.Role() != view.Assistant {
			continue
		}
		for _, made := range m.ToolCalls() {
			key := made.ID
			if made.Legacy {
				key = "\x00" + made.Name
			}
			waiting[key] = append(waiting[key], len(read.calls))
			read.calls = append(read.calls, NewCall(made, i))
		}
	}
	read.calls, read.answers = withNested(read.calls, read.answers)
	return read
}
