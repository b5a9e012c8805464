package messages

import (
	"bytes"
	"slices"

	"killick/rawjson"
	"killick/view"
)

// Marks say where the prompt cache is written and read. Source:
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching. A request may have four;
// those of an hour must precede those of five minutes; and a mark finds what was written at most
// about 20 blocks before it.
const (
	maxMarks = 4
	maxGap   = 15 // blocks
	markName = "cache_control"
)

var quotedMark = []byte(`"` + markName + `"`)

// Mark implements [view.Format]. If the client marks its messages and uses fewer marks than it may,
// the last new message gets one, so that the part up to it stays cached when later messages change.
// The message before the newest turn of the model, which ended the previous request, gets one if
// that turn, or all that follows the new message, is longer than a mark looks back.
func (format) Mark(r *view.Request, pieces []view.Piece) []view.Piece {
	spare := maxMarks - marksOf(r.Field("tools")) - marksOf(r.Field("system"))
	s := marking{record: -1}
	if automatic := r.Field(markName); automatic.Kind() == rawjson.Object {
		s.automatic = automatic
		spare--
	}
	if spare <= 0 {
		return pieces
	}
	if err := s.read(r, pieces); err != nil || s.record < 0 || !s.wanted() {
		return pieces
	}
	for _, at := range s.targets() {
		if spare-s.marks > 0 && s.put(at) {
			spare--
		}
	}
	return s.pieces(pieces)
}

// marking is the placing of marks in a conversation.
type marking struct {
	automatic rawjson.Value // the client's mark for the end of the request, whatever is last
	messages  []marked
	marks     int // the client's marks on messages
	record    int // the last new message, -1 if there is none
}

// marked is a message of the changed conversation.
type marked struct {
	m     view.Message
	piece int
	index int           // in the request; -1 for a new message
	first rawjson.Value // the client's first mark, nil if there is none
	mark  rawjson.Value // the client's last mark
	raw   []byte        // the message with a mark of ours, nil if it gets none
}

func (s *marking) read(r *view.Request, pieces []view.Piece) error {
	n := 0
	for _, p := range pieces {
		n += max(p.To-p.From, 1)
	}
	s.messages = make([]marked, 0, n)
	may := r.MaybeMarked()
	for k, p := range pieces {
		if p.Raw == nil {
			for i := p.From; i < p.To; i++ {
				s.add(marked{m: r.Messages()[i], piece: k, index: i}, may.At(i))
			}
			continue
		}
		m, err := format{}.Message(p.Raw)
		if err != nil {
			return err
		}
		if p.From == p.To {
			s.record = len(s.messages)
		}
		s.add(marked{m: m, piece: k, index: -1}, true)
	}
	return nil
}

// add adds a message. may is whether it may have a mark.
func (s *marking) add(m marked, may bool) {
	s.messages = append(s.messages, m)
	if may && bytes.Contains(m.m.Raw, quotedMark) {
		s.marks += s.messages[len(s.messages)-1].readMarks()
	}
}

// readMarks records the first and the last mark of a message and returns the number of its marks. A
// mark within a block precedes the mark of the block.
func (m *marked) readMarks() (n int) {
	count := func(block rawjson.Value) {
		if mark := block.Get(markName); mark.Kind() == rawjson.Object {
			if n == 0 {
				m.first = mark
			}
			m.mark = mark
			n++
		}
	}
	for block := range blocks(&m.m) {
		for inner := range block.Get("content").Elements() {
			count(inner)
		}
		count(block)
	}
	if m.m.Role() == view.Tool {
		count(m.m.Raw)
	}
	return n
}

// wanted reports whether the client has its messages cached.
func (s *marking) wanted() bool { return s.marks > 0 || s.automatic != nil }

// targets returns the messages that should get a mark, the most important first.
func (s *marking) targets() []int {
	turn := len(s.messages)
	for turn > 0 && s.messages[turn-1].m.Role() != view.Assistant {
		turn--
	}
	for turn > 0 && s.messages[turn-1].m.Role() == view.Assistant {
		turn--
	}
	before := turn - 1
	switch {
	case before <= s.record:
		return []int{s.record}
	case s.isFar(before):
		return []int{before, s.record}
	case s.isFar(s.record):
		return []int{s.record, before}
	}
	return []int{s.record}
}

// isFar reports whether the next mark is too far from a message to find what was cached there.
func (s *marking) isFar(at int) bool {
	n := 0
	for i := at + 1; i < len(s.messages) && n <= maxGap; i++ {
		m := &s.messages[i]
		if size := 0; m.m.Role() == view.Tool {
			n++
		} else {
			for range blocks(&m.m) {
				size++
			}
			n += max(size, 1) // a string is one block
		}
		if m.mark != nil {
			break
		}
	}
	return n > maxGap
}

// put marks the end of a message. It copies the next mark, or else the previous one, so that marks
// of an hour still precede those of five minutes. It reports whether the message got a mark.
func (s *marking) put(at int) bool {
	if s.messages[at].mark != nil || s.forProgram(at) {
		return false
	}
	mark := s.automatic
	for i := len(s.messages) - 1; i > at; i-- {
		if s.messages[i].first != nil {
			mark = s.messages[i].first
		}
	}
	for i := at - 1; mark == nil && i >= 0; i-- {
		mark = s.messages[i].mark
	}
	s.messages[at].raw = withMark(&s.messages[at].m, mark)
	return s.messages[at].raw != nil
}

// forProgram reports whether a message is a result for a program that the API runs. Those may have
// no mark, since the model does not see them (langchain-ai/langchain#34579).
func (s *marking) forProgram(at int) bool {
	caller := at
	for caller > 0 && s.messages[caller].m.Role() == view.Tool {
		caller--
	}
	m := &s.messages[at].m
	return caller < at && slices.ContainsFunc(s.messages[caller].m.ToolCalls(),
		func(c view.ToolCall) bool { return c.ByProgram && c.ID == m.ToolCallID() })
}

// pieces returns the given pieces with the marked messages in place.
func (s *marking) pieces(pieces []view.Piece) []view.Piece {
	out := make([]view.Piece, 0, len(pieces)+2*maxMarks)
	next := 0
	for k, p := range pieces {
		for ; next < len(s.messages) && s.messages[next].piece == k; next++ {
			m := &s.messages[next]
			switch {
			case m.raw == nil:
			case m.index < 0:
				p.Raw = m.raw
			default:
				out = append(out, view.Piece{From: p.From, To: m.index},
					view.Piece{From: m.index, To: m.index + 1, Raw: m.raw})
				p.From = m.index + 1
			}
		}
		out = append(out, p)
	}
	return out
}

// marksOf counts the marks of tools or of the system prompt.
func marksOf(list rawjson.Value) (n int) {
	for el := range list.Elements() {
		if el.Get(markName).Kind() == rawjson.Object {
			n++
		}
	}
	return n
}

// withMark returns a user message or a result with a mark on its last block, nil if that block
// cannot have one.
func withMark(m *view.Message, mark rawjson.Value) []byte {
	set := map[string]rawjson.Value{markName: mark}
	switch {
	case m.Is(view.Fixed | view.Unknown):
		return nil
	case m.Role() == view.Tool:
		return rawjson.WithMembers(m.Raw, set)
	case m.Role() != view.User:
		return nil
	}
	if text := m.Content(); text.Kind() == rawjson.String && len(text) > len(`""`) {
		block := append(append([]byte(`{"type":"text","text":`), text...), '}')
		block = rawjson.WithMembers(block, set)
		return m.WithContent(append(append([]byte{'['}, block...), ']'))
	}
	var at rawjson.Span
	for block := range spans(m) {
		at = block
	}
	last := at.Of(m.Raw)
	if last == nil || last.Get("type").Is(typeText) && len(last.Get("text")) <= len(`""`) {
		return nil
	}
	return rawjson.Replace(m.Raw, at, rawjson.WithMembers(last, set))
}
