package replay

import (
	"fmt"

	"killick/chat"
	"killick/transcript"
	"killick/view"
)

// Study holds what is known of a conversation before anything is forwarded: what each turn needs,
// and where it occurred. It serves one measurement at a time.
type Study struct {
	*Transcript
	Tokens int // of all of its messages and what is beside them

	counter  Counter
	fixed    int    // tokens beside the messages
	tools    []byte // what precedes the messages in a provider's cache
	messages []*message
	turns    []turn
	finder   *finder
	memo     map[view.Fingerprint]*message // messages are forwarded repeatedly
}

// message is what is known of the bytes of one message, independent of its position.
type message struct {
	fingerprint view.Fingerprint
	role        view.Role
	tokens      int
	holds       found
	calls       []string // the keys by which results refer to them
	answers     string   // the call that it is the result of
	pinned      map[string]bool
}

// turn is one answer of the model: its request and what it used of it.
type turn struct {
	at         int // the answer; the messages before it are the request
	tokens     int // of the request
	cached     int // of these, if nothing is ever changed
	references []usedReference
	quotes     []usedQuote
	words      words
	broken     int // pairs of calls and results that the client itself had broken
}

type usedReference struct {
	id  int32
	old bool // it last occurred more than oldAfter messages back
}

type usedQuote struct {
	id     int32
	edit   bool
	name   bool
	source int // the latest message of a tool or the user that contains it
}

// oldAfter is the distance in messages past which a reference counts as old.
const oldAfter = 10

// NewStudy reads a transcript.
func NewStudy(t *Transcript, counter Counter) (*Study, error) {
	req, err := chat.Parse(t.Body(len(t.Messages)))
	if err != nil {
		return nil, fmt.Errorf("%s: conversation %q: %w", t.File, t.ID, err)
	}
	s := &Study{
		Transcript: t, counter: counter, fixed: counter.Overhead(req),
		tools: append([]byte(req.Field("tools")), req.Field("functions")...),
		memo:  make(map[view.Fingerprint]*message, len(t.Messages)),
	}
	all := readUses(t, t.Turns())
	s.finder = newFinder(all.references.texts, all.lines.texts)
	s.walk(all)
	return s, nil
}

// uses is what the answers of a conversation name and quote, whether or not it occurred before.
type uses struct {
	references, lines *interner
	answers           []answer
}

type answer struct {
	at         int
	references []int32
	quotes     []usedQuote
}

func readUses(t *Transcript, turns []int) *uses {
	u := &uses{references: newInterner(), lines: newInterner()}
	for _, at := range turns {
		a := answer{at: at}
		eachReference(string(appendText(nil, &t.Messages[at])), func(word string) {
			a.references = u.references.addOnce(a.references, word, at)
		})
		for _, q := range quotesOf(&t.Messages[at]) {
			a.quotes = append(a.quotes,
				usedQuote{id: u.lines.id(q.line), edit: q.edit, name: q.name})
		}
		u.answers = append(u.answers, a)
	}
	return u
}

// walk goes through the conversation once and finds, for each answer, which of its uses occurred
// before it.
func (s *Study) walk(u *uses) {
	last := make([]int, len(u.references.texts)) // the last message that contains each, plus one
	source := make([]int, len(u.lines.texts))    // likewise, among those of tools and the user
	raw := newPromptCache()
	s.Tokens = s.fixed
	var typed words
	read := transcript.ReadAll(s.Messages)
	for i := range s.Messages {
		if len(u.answers) > 0 && u.answers[0].at == i {
			t := turn{at: i, tokens: s.Tokens, words: typed, broken: brokenPairs(s.messages)}
			t.cached = raw.send(s.tools, s.fixed, s.messages)
			t.look(u.answers[0], last, source)
			s.turns = append(s.turns, t)
			u.answers = u.answers[1:]
		}
		m := &s.Messages[i]
		known := s.read(m)
		s.messages = append(s.messages, known)
		s.Tokens += known.tokens
		for _, id := range known.holds.references {
			last[id] = i + 1
		}
		if m.Role().Result() || m.Role() == view.User {
			for _, id := range known.holds.lines {
				source[id] = i + 1
			}
		}
		if m.Role() == view.User {
			typed.add(read.Message(i))
		}
	}
}

// look keeps those uses of an answer that occurred before it.
func (t *turn) look(a answer, last, source []int) {
	for _, id := range a.references {
		if last[id] > 0 {
			t.references = append(t.references, usedReference{id, a.at-(last[id]-1) > oldAfter})
		}
	}
	for _, q := range a.quotes {
		if source[q.id] > 0 {
			q.source = source[q.id] - 1
			t.quotes = append(t.quotes, q)
		}
	}
}

// read returns what is known of a message, and reads it if it is new.
func (s *Study) read(m *view.Message) *message {
	fingerprint := m.Fingerprint()
	if known := s.memo[fingerprint]; known != nil {
		return known
	}
	known := &message{
		fingerprint: fingerprint, role: m.Role(), tokens: s.counter.Message(m),
		holds: s.finder.in(withWholePaths(appendText(nil, m))),
	}
	switch {
	case m.Role() == view.Assistant:
		for _, call := range m.ToolCalls() {
			known.calls = append(known.calls, callKey(call))
		}
	case m.Role() == view.Function:
		known.answers = "function " + m.Name()
	case m.Role() == view.Tool:
		known.answers = "tool " + m.ToolCallID()
	}
	s.memo[fingerprint] = known
	return known
}

func callKey(c view.ToolCall) string {
	if c.Legacy {
		return "function " + c.Name
	}
	return "tool " + c.ID
}

// interner numbers texts.
type interner struct {
	ids   map[string]int32
	texts []string
	seen  []int // by number: the last value of at in addOnce, plus one
}

func newInterner() *interner { return &interner{ids: map[string]int32{}} }

func (n *interner) id(text string) int32 {
	id, ok := n.ids[text]
	if !ok {
		id = int32(len(n.texts))
		n.ids[text] = id
		n.texts = append(n.texts, text)
		n.seen = append(n.seen, 0)
	}
	return id
}

// addOnce appends the number of text to ids, once for each value of at.
func (n *interner) addOnce(ids []int32, text string, at int) []int32 {
	id := n.id(text)
	if n.seen[id] == at+1 {
		return ids
	}
	n.seen[id] = at + 1
	return append(ids, id)
}
