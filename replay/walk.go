package replay

import (
	"cmp"
	"fmt"
	"slices"

	"killick/chat"
	"killick/replay/search"
	"killick/transcript"
	"killick/transcript/speech"
	"killick/view"
)

// NewStudy reads a transcript.
func NewStudy(t *Transcript, counter Counter) (*Study, error) {
	scale := cmp.Or(t.Scale, 1)
	t, filler, err := withPreamble(t, counter, int(float64(t.Preamble)/scale))
	if err != nil {
		return nil, err
	}
	t, ignored := withoutFalseSkips(t, counter)
	req, err := chat.Parse(t.Body(len(t.Messages)))
	if err != nil {
		return nil, fmt.Errorf("%s: conversation %q: %w", t.File, t.ID, err)
	}
	s := &Study{
		Transcript: t, counter: counter, overhead: counter.Overhead(req) - filler, filler: filler,
		scale: scale, tools: toolsOf(req),
		memo:         make(map[view.Fingerprint]*message, len(t.Messages)),
		ignoredSkips: ignored,
	}
	s.preamble = float64(t.Preamble) + float64(s.overhead)*scale
	all := readUses(t)
	s.finder = search.NewFinder(all.references.texts, all.lines.texts)
	s.walk(all)
	s.setWeights()
	return s, nil
}

// toolsOf returns what precedes the messages of a request in a provider's cache.
func toolsOf(req *view.Request) []byte {
	return append(append([]byte{}, req.Field("tools")...), req.Field("functions")...)
}

// uses has what the answers of a conversation name and quote, whether or not it occurred before.
type uses struct {
	references, lines *interner
	answers           []answer
}

type answer struct {
	request    UsageOfAnswer
	references []int32
	decoded    []int32 // references in the unescaped text
	quotes     []usedQuote
}

func readUses(t *Transcript) *uses {
	u := &uses{references: newInterner(), lines: newInterner()}
	for n, request := range t.requests() {
		a := answer{request: request}
		at := request.Messages
		if at == len(t.Messages) || t.Messages[at].Role() != view.Assistant {
			u.answers = append(u.answers, a)
			continue
		}
		text := string(textOf(&t.Messages[at]))
		search.EachReference(text, func(word string) {
			a.references = u.references.addOnce(a.references, word, 2*n)
		})
		search.EachReference(unescaped(text), func(word string) {
			a.decoded = u.references.addOnce(a.decoded, word, 2*n+1)
		})
		for _, q := range quotesOf(&t.Messages[at]) {
			a.quotes = append(a.quotes,
				usedQuote{id: u.lines.id(q.line), edit: q.edit, name: q.name})
		}
		u.answers = append(u.answers, a)
	}
	return u
}

// walk goes through the requests and finds, for each answer, which of its references and quotes
// occurred in its request.
func (s *Study) walk(u *uses) {
	read := transcript.ReadAll(s.Messages)
	s.Tokens = s.overhead
	for i := range s.Messages {
		s.messages = append(s.messages, s.read(&s.Messages[i]))
		s.Tokens += s.messages[i].tokens
	}
	s.places = newPlaces(s.Messages, read)
	h := s.newHistory(u)
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
		h.until, h.request = t.at, &a.request
		t.messages, t.tokens, t.words = slices.Clip(h.messages), s.overhead+h.tokens, h.typed
		common := commonMessages(before, t.messages)
		t.arrived = sum(t.messages[common:])
		t.broken = brokenPairs(t.messages)
		t.look(a, h)
		s.turns = append(s.turns, t)
	}
	s.countFresh()
}

// countFresh sets how many messages of each turn were in no earlier request.
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

// history is the content of the requests so far. It starts again when the client leaves something
// out.
type history struct {
	until    int            // the messages of the transcript before this index were read
	request  *UsageOfAnswer // the request that they were read for
	messages []*message
	tokens   int
	// The index, plus one, of the last message that contains:
	last    []int // each reference
	located []int // each reference, in unescaped text
	source  []int // each line, among messages of tools and the user
	own     []int // each line, among messages of the model
	typed   words
}

func (s *Study) newHistory(u *uses) *history {
	return &history{last: make([]int, len(u.references.texts)),
		source: make([]int, len(u.lines.texts)), own: make([]int, len(u.lines.texts)),
		located: make([]int, len(u.references.texts))}
}

// continuedBy reports whether a request holds exactly the messages so far, and perhaps later ones.
func (h *history) continuedBy(r *UsageOfAnswer) bool {
	if r.Messages < h.until {
		return false
	}
	for i := range h.until {
		if r.holds(i) != h.request.holds(i) {
			return false
		}
	}
	return true
}

func (h *history) add(s *Study, read *speech.Message, i int) {
	known, role := s.messages[i], s.Messages[i].Role()
	h.messages = append(h.messages, known)
	h.tokens += known.tokens
	for _, id := range known.holds.References {
		h.last[id] = i + 1
	}
	for _, id := range known.located {
		h.located[id] = i + 1
	}
	source := h.own
	if role.Result() || role == view.User {
		source = h.source
	}
	for _, id := range known.holds.Lines {
		source[id] = i + 1
	}
	if role == view.User {
		h.typed.add(read)
	}
}

// look sets the references and quotes of an answer that occurred before it.
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
		if source == 0 && q.edit { // an edit must also quote the model's own text exactly
			source = h.own[q.id]
		}
		if source > 0 {
			q.source = source - 1
			t.quotes = append(t.quotes, q)
		}
	}
}

// read returns the facts about a message, and determines them if the message is new.
func (s *Study) read(m *view.Message) *message {
	fingerprint := m.Fingerprint()
	if known := s.memo[fingerprint]; known != nil {
		return known
	}
	text := textOf(m)
	known := &message{
		fingerprint: fingerprint, role: m.Role(), tokens: s.counter.Message(m),
		holds: s.finder.In(withWholePaths(text)),
	}
	known.located = s.located(m, text, known.holds.References)
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
