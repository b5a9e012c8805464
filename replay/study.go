package replay

import (
	"fmt"

	"killick/chat"
	"killick/transcript"
)

// Study is what there is to know of a conversation before anything is
// forwarded: what each turn needs, and where it stood. It serves one
// measurement at a time.
type Study struct {
	*Transcript
	Tokens int // of all its messages with what stands beside them

	counter  Counter
	fixed    int    // tokens beside the messages
	tools    []byte // what stands before the messages in what a provider caches
	messages []*message
	turns    []turn
	finder   *finder
	memo     map[chat.Fingerprint]*message // forwarded messages come again and again
}

// message is what is known of the bytes of one message, wherever it stands.
type message struct {
	fingerprint chat.Fingerprint
	role        chat.Role
	tokens      int
	holds       found
	calls       []string // by what tells their results
	answers     string   // the call that it is the result of
	pinned      map[string]bool
}

// turn is one answer of the model: what its request was and what it used of it.
type turn struct {
	at         int // the answer; what stands before it is the request
	tokens     int // of the request
	cached     int // of them, where nothing is ever changed
	references []usedReference
	quotes     []usedQuote
	words      words
	broken     int // pairs of calls and results that the client itself had broken
}

type usedReference struct {
	id  int32
	old bool // it last stood more than oldAfter messages back
}

type usedQuote struct {
	id     int32
	edit   bool
	name   bool
	source int // the latest message of a tool or the user that holds it
}

// oldAfter is how many messages back a reference counts as old.
const oldAfter = 10

// NewStudy reads a transcript through.
func NewStudy(t *Transcript, counter Counter) (*Study, error) {
	req, err := chat.Parse(t.Body(len(t.Messages)))
	if err != nil {
		return nil, fmt.Errorf("%s: conversation %q: %w", t.File, t.ID, err)
	}
	s := &Study{
		Transcript: t, counter: counter, fixed: counter.Overhead(req),
		tools: append([]byte(req.Field("tools")), req.Field("functions")...),
		memo:  make(map[chat.Fingerprint]*message, len(t.Messages)),
	}
	all := readUses(t, t.Turns())
	s.finder = newFinder(all.references.texts, all.lines.texts)
	s.walk(all)
	return s, nil
}

// uses is what the answers of a conversation name and quote, whether anything
// before them held it or not.
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

// walk goes through the conversation once and notes, at each answer, what of
// its uses stood before it.
func (s *Study) walk(u *uses) {
	stood := make([]int, len(u.references.texts)) // in which message last, plus one
	source := make([]int, len(u.lines.texts))     // likewise, of those of tools and the user
	raw := newPromptCache()
	s.Tokens = s.fixed
	var said words
	read := transcript.ReadAll(s.Messages)
	for i := range s.Messages {
		if len(u.answers) > 0 && u.answers[0].at == i {
			t := turn{at: i, tokens: s.Tokens, words: said, broken: brokenPairs(s.messages)}
			t.cached = raw.send(s.tools, s.fixed, s.messages)
			t.look(u.answers[0], stood, source)
			s.turns = append(s.turns, t)
			u.answers = u.answers[1:]
		}
		m := &s.Messages[i]
		known := s.know(m)
		s.messages = append(s.messages, known)
		s.Tokens += known.tokens
		for _, id := range known.holds.references {
			stood[id] = i + 1
		}
		if m.Role().Result() || m.Role() == chat.User {
			for _, id := range known.holds.lines {
				source[id] = i + 1
			}
		}
		if m.Role() == chat.User {
			said.add(read.Message(i))
		}
	}
}

// look keeps those uses of an answer that stood before it.
func (t *turn) look(a answer, stood, source []int) {
	for _, id := range a.references {
		if stood[id] > 0 {
			t.references = append(t.references, usedReference{id, a.at-(stood[id]-1) > oldAfter})
		}
	}
	for _, q := range a.quotes {
		if source[q.id] > 0 {
			q.source = source[q.id] - 1
			t.quotes = append(t.quotes, q)
		}
	}
}

// know returns what is known of a message, found out where it is new.
func (s *Study) know(m *chat.Message) *message {
	fingerprint := m.Fingerprint()
	if known := s.memo[fingerprint]; known != nil {
		return known
	}
	known := &message{
		fingerprint: fingerprint, role: m.Role(), tokens: s.counter.Message(m),
		holds: s.finder.in(withWholePaths(appendText(nil, m))),
	}
	switch {
	case m.Role() == chat.Assistant:
		for _, call := range m.ToolCalls() {
			known.calls = append(known.calls, callKey(call))
		}
	case m.Role() == chat.Function:
		known.answers = "function " + m.Name()
	case m.Role() == chat.Tool:
		known.answers = "tool " + m.ToolCallID()
	}
	s.memo[fingerprint] = known
	return known
}

func callKey(c chat.ToolCall) string {
	if c.Legacy {
		return "function " + c.Name
	}
	return "tool " + c.ID
}

// interner numbers texts.
type interner struct {
	ids   map[string]int32
	texts []string
	seen  []int // by number: where it was added last, plus one
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
