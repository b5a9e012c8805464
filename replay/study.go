package replay

import (
	"fmt"
	"slices"
	"time"

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
	fixed    int     // tokens beside the messages, but for the tools that stand in for others
	filler   int     // tokens of these
	standing float64 // the provider's tokens of all that precedes the messages
	scale    float64
	tools    []byte // what precedes the messages in a provider's cache
	messages []*message
	turns    []turn
	finder   *finder
	places   *places // of references; nil while the conversation is read

	ignoredSkips int // ranges of messages that the client did not leave out after all

	memo map[view.Fingerprint]*message // messages are forwarded repeatedly
}

// message is what is known of the bytes of one message, independent of its position.
type message struct {
	fingerprint view.Fingerprint
	role        view.Role
	tokens      int
	holds       found
	came        bool     // it is one of the conversation's
	weight      float64  // if so, the provider's tokens of it
	calls       []string // the keys by which results refer to them
	answers     string   // the call that it is the result of
	pinned      map[string]bool
}

// turn is one answer of the model: its request and what it used of it.
type turn struct {
	at         int // the answer; the messages before it are the request, but for those skipped
	request    *UsageOfAnswer
	messages   []*message // of the request
	fresh      int        // of these, at the end: in no request before
	arrived    int        // tokens of those that do not continue the request before
	restarted  bool       // the client left messages out that the request before had
	tokens     int        // of the request
	cached     int        // of these, if nothing is ever changed
	references []usedReference
	decoded    []int32 // old references, escapes taken for what they stand for
	quotes     []usedQuote
	words      words
	broken     int // pairs of calls and results that the client itself had broken

	sent, ended time.Time // as recorded; zero if nothing was
	shrink      float64   // of the weights of the conversation's messages
	shared      float64   // tokens of the standing part that were cached before the first turn
	lost        bool      // the client's cache, but for the first kept tokens
	kept        float64
}

type usedReference struct {
	id  int32
	old bool // it last occurred more than oldAfter messages back
}

type usedQuote struct {
	id   int32
	edit bool
	name bool
	// source is the latest message of a tool or the user that contains it; of an edit's line that
	// none contains, the model's own latest one
	source int
}

// oldAfter is the distance in messages past which a reference counts as old.
const oldAfter = 10

// NewStudy reads a transcript.
func NewStudy(t *Transcript, counter Counter) (*Study, error) {
	scale := t.Scale
	if scale == 0 {
		scale = 1
	}
	t, filler, err := withStanding(t, counter, int(float64(t.Standing)/scale))
	if err != nil {
		return nil, err
	}
	t, ignored := withoutFalseSkips(t, counter)
	req, err := chat.Parse(t.Body(len(t.Messages)))
	if err != nil {
		return nil, fmt.Errorf("%s: conversation %q: %w", t.File, t.ID, err)
	}
	s := &Study{
		Transcript: t, counter: counter, fixed: counter.Overhead(req) - filler, filler: filler,
		scale: scale, tools: toolsOf(req),
		memo:         make(map[view.Fingerprint]*message, len(t.Messages)),
		ignoredSkips: ignored,
	}
	s.standing = float64(t.Standing) + float64(s.fixed)*scale
	all := readUses(t)
	s.finder = newFinder(all.references.texts, all.lines.texts)
	s.walk(all)
	s.weigh()
	return s, nil
}

// toolsOf returns what precedes the messages of a request in a provider's cache.
func toolsOf(req *view.Request) []byte {
	return append(append([]byte{}, req.Field("tools")...), req.Field("functions")...)
}

// uses is what the answers of a conversation name and quote, whether or not it occurred before.
type uses struct {
	references, lines *interner
	answers           []answer
}

type answer struct {
	request    UsageOfAnswer
	references []int32
	decoded    []int32 // references, where escapes are taken for what they stand for
	quotes     []usedQuote
}

func readUses(t *Transcript) *uses {
	u := &uses{references: newInterner(), lines: newInterner()}
	for _, request := range t.requests() {
		a := answer{request: request}
		at := request.Messages
		if at == len(t.Messages) || t.Messages[at].Role() != view.Assistant {
			u.answers = append(u.answers, a)
			continue
		}
		text := string(textOf(&t.Messages[at]))
		eachReference(text, func(word string) {
			a.references = u.references.addOnce(a.references, word, at)
		})
		eachReference(unescaped(text), func(word string) {
			a.decoded = u.references.addOnce(a.decoded, word, len(t.Messages)+at)
		})
		for _, q := range quotesOf(&t.Messages[at]) {
			a.quotes = append(a.quotes,
				usedQuote{id: u.lines.id(q.line), edit: q.edit, name: q.name})
		}
		u.answers = append(u.answers, a)
	}
	return u
}

// walk goes through the requests and finds, for each answer, which of its uses occurred in its
// request.
func (s *Study) walk(u *uses) {
	read := transcript.ReadAll(s.Messages)
	s.Tokens = s.fixed
	for i := range s.Messages {
		s.messages = append(s.messages, s.read(&s.Messages[i]))
		s.Tokens += s.messages[i].tokens
	}
	s.places = newPlaces(s.Messages, read)
	h := s.newHistory(u)
	raw := newPromptCache()
	for n := range u.answers {
		a := &u.answers[n]
		t := turn{at: a.request.Messages, request: &a.request}
		before := h.messages
		from := h.until
		if n == 0 || !h.continuedBy(&a.request) {
			t.restarted = n > 0
			from, h = 0, s.newHistory(u)
		}
		for i := from; i < t.at; i++ {
			if a.request.holds(i) {
				h.add(s, read.Message(i), i)
			}
		}
		h.until, h.skip = t.at, a.request.Skip
		t.messages, t.tokens, t.words = slices.Clip(h.messages), s.fixed+h.tokens, h.typed
		common := commonMessages(before, t.messages)
		t.arrived = sum(t.messages[common:])
		t.broken = brokenPairs(t.messages)
		t.cached = raw.send(s.tools, s.fixed, t.messages)
		t.look(a, h)
		s.turns = append(s.turns, t)
	}
	s.countFresh()
}

// countFresh sets how many messages of each turn were in no request before.
func (s *Study) countFresh() {
	seen := 0
	for i := range s.turns {
		t := &s.turns[i]
		for at := seen; at < t.at; at++ {
			if t.request.holds(at) {
				t.fresh++
			}
		}
		seen = max(seen, t.at)
	}
}

func commonMessages(a, b []*message) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// history is what the requests so far held, until the client leaves something out.
type history struct {
	until    int      // messages of the transcript that were gone through
	skip     [][2]int // but these
	messages []*message
	tokens   int
	last     []int // the last message that contains each reference, plus one
	source   []int // likewise of each line, among those of tools and the user
	own      []int // likewise, among the model's own
	located  []int // likewise of each reference, decoded
	typed    words
}

func (s *Study) newHistory(u *uses) *history {
	return &history{last: make([]int, len(u.references.texts)),
		source: make([]int, len(u.lines.texts)), own: make([]int, len(u.lines.texts)),
		located: make([]int, len(u.references.texts))}
}

// continuedBy reports whether a request holds all messages so far.
func (h *history) continuedBy(r *UsageOfAnswer) bool {
	return r.Messages >= h.until && slices.Equal(r.Skip, h.skip)
}

func (h *history) add(s *Study, read *transcript.Message, i int) {
	known, role := s.messages[i], s.Messages[i].Role()
	h.messages = append(h.messages, known)
	h.tokens += known.tokens
	for _, id := range known.holds.references {
		h.last[id] = i + 1
	}
	for _, id := range known.holds.located {
		h.located[id] = i + 1
	}
	source := h.own
	if role.Result() || role == view.User {
		source = h.source
	}
	for _, id := range known.holds.lines {
		source[id] = i + 1
	}
	if role == view.User {
		h.typed.add(read)
	}
}

// look keeps those uses of an answer that occurred before it.
func (t *turn) look(a *answer, h *history) {
	for _, id := range a.references {
		if h.last[id] > 0 {
			t.references = append(t.references,
				usedReference{id, t.at-(h.last[id]-1) > oldAfter})
		}
	}
	for _, id := range a.decoded {
		if last := h.located[id]; last > 0 && t.at-(last-1) > oldAfter {
			t.decoded = append(t.decoded, id)
		}
	}
	for _, q := range a.quotes {
		source := h.source[q.id]
		if source == 0 && q.edit { // it must quote as exactly what it wrote itself
			source = h.own[q.id]
		}
		if source > 0 {
			q.source = source - 1
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
	text := textOf(m)
	known := &message{
		fingerprint: fingerprint, role: m.Role(), tokens: s.counter.Message(m),
		holds: s.finder.in(withWholePaths(text)),
	}
	known.holds.located = s.located(m, text, known.holds.references)
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
