package messages

import (
	"bytes"

	"killick/rawjson"
	"killick/view"
)

// Where the cache is written and read is said with marks. Source:
// https://platform.claude.com/docs/en/build-with-claude/prompt-caching: at most four, those of an
// hour before those of five minutes, and a mark finds what an earlier one has written up to about
// 20 blocks before it.
const (
	mostMarks = 4
	mostGap   = 15 // blocks
	markName  = "cache_control"
)

var quotedMark = []byte(`"` + markName + `"`)

// Mark implements [view.Format]. Where the client marks its messages and uses fewer marks than it
// may, the last new message has one, so that what follows may change; and what stood before the
// newest turn of the model, which was the end of the request before, has one if that turn or all
// that follows the new message is longer than a mark looks back.
func (format) Mark(r *view.Request, pieces []view.Piece) []view.Piece {
	spare := mostMarks - marksOf(r.Field("tools")) - marksOf(r.Field("system"))
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
	automatic rawjson.Value // the client's mark on whatever is last
	messages  []marked
	marks     int // the client's, on messages
	record    int // the last new message, -1 if there is none
}

// marked is a message of the new conversation.
type marked struct {
	m     view.Message
	piece int
	index int           // in the request; -1 for what is written anew
	first rawjson.Value // the client's first mark, nil if there is none
	mark  rawjson.Value // the client's last
	raw   []byte        // with a mark of ours
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
		m, err := message(p.Raw)
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

// add adds a message. may says that it may hold a mark.
func (s *marking) add(m marked, may bool) {
	s.messages = append(s.messages, m)
	if may && bytes.Contains(m.m.Raw, quotedMark) {
		s.marks += s.messages[len(s.messages)-1].readMarks()
	}
}

// readMarks notes the first and the last mark of a message and returns how many it has. What is in
// a block comes before its end.
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

// targets returns the messages that are to have a mark, the most important first.
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

// isFar reports whether the next mark after a message is too far to find what is written there.
func (s *marking) isFar(at int) bool {
	n := 0
	for i := at + 1; i < len(s.messages) && n <= mostGap; i++ {
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
	return n > mostGap
}

// put marks the end of a message, with the mark that comes next: then those of an hour are before
// those of five minutes still. It reports whether there is one more.
func (s *marking) put(at int) bool {
	if s.messages[at].mark != nil {
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

// pieces returns pieces with the messages that were marked.
func (s *marking) pieces(pieces []view.Piece) []view.Piece {
	out := make([]view.Piece, 0, len(pieces)+2*mostMarks)
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

// withMark returns a message of the user's side with a mark on its last block, nil if that can have
// none.
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
