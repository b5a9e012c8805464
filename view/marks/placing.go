package marks

import (
	"killick/rawjson"
	"killick/view"
)

// Marking is how a format marks up to where its provider caches: see [view.Format.Mark]. A request
// may have a few marks. Those of longer lifetimes must precede the others, and a mark finds what
// was written at most MaxGap blocks before it.
type Marking struct {
	Most   int // marks of a request
	MaxGap int // blocks
	// Used is how many marks the request has beside those of its messages.
	Used int
	// Automatic is the client's mark for the end of the request, whatever is last.
	Automatic rawjson.Value
	// Moves: what is made for a part of the conversation gets the mark of what is left out of it.
	// Otherwise it has that already.
	Moves bool

	// Read returns the first and the last mark of a message, and the number of its marks.
	Read func(m *view.Message) (first, last rawjson.Value, n int)
	// Blocks returns the number of blocks in a message that is not a result.
	Blocks func(m *view.Message) int
	// With returns the message with a mark at its end, nil if it cannot have one. caller is the
	// message whose call it answers if it is a result.
	With func(m, caller *view.Message, mark rawjson.Value) []byte
}

// Place returns the pieces of a changed conversation with marks. If the client marks its messages
// and uses fewer marks than it may, the last new message gets one, so that the part up to it stays
// cached when later messages change. The message before the newest turn of the model, which ended
// the previous request, gets one if that turn, or all that follows the new message, is longer than
// a mark looks back.
func (k *Marking) Place(r *view.Request, pieces []view.Piece) []view.Piece {
	spare := k.Most - k.Used
	if spare <= 0 {
		return pieces
	}
	s := placing{Marking: k, record: -1}
	if err := s.read(r, pieces); err != nil || s.record < 0 || !s.wanted() {
		return pieces
	}
	if s.lost != nil {
		s.put(s.record, s.lost)
	}
	for _, at := range s.targets() {
		if spare-s.marks > 0 && s.put(at, nil) {
			spare--
		}
	}
	return s.pieces(pieces)
}

// placing is the placing of marks in a conversation.
type placing struct {
	*Marking
	messages []marked
	marks    int           // the client's marks on messages
	lost     rawjson.Value // the last mark of what is left out, if it moves
	record   int           // the last new message, -1 if there is none
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

func (s *placing) read(r *view.Request, pieces []view.Piece) error {
	n := 0
	for _, p := range pieces {
		n += max(p.To-p.From, 1)
	}
	s.messages = make([]marked, 0, n)
	may := CandidatesOf(r)
	for k, p := range pieces {
		if p.Raw == nil {
			for i := p.From; i < p.To; i++ {
				s.add(marked{m: r.Messages()[i], piece: k, index: i}, may.At(i))
			}
			continue
		}
		m, err := r.Format().Message(p.Raw)
		if err != nil {
			return err
		}
		if p.From == p.To {
			s.record = len(s.messages)
		}
		s.add(marked{m: m, piece: k, index: -1}, true)
	}
	if s.Moves {
		s.findLost(r, pieces, may)
	}
	return nil
}

// add adds a message. may is whether it may have a mark.
func (s *placing) add(m marked, may bool) {
	if may && MayBeIn(m.m.Raw) {
		var n int
		m.first, m.mark, n = s.Read(&m.m)
		s.marks += n
	}
	s.messages = append(s.messages, m)
}

// findLost finds the last mark of the messages that are left out, or were replaced without it. It
// counts as one of the client's.
func (s *placing) findLost(r *view.Request, pieces []view.Piece, may Candidates) {
	kept := make([]bool, len(r.Messages()))
	for i := range s.messages {
		m := &s.messages[i]
		if p := &pieces[m.piece]; m.index >= 0 {
			kept[m.index] = true
		} else if p.From < p.To {
			kept[p.From] = m.mark != nil
		}
	}
	for i := len(kept) - 1; i >= 0; i-- {
		if m := &r.Messages()[i]; !kept[i] && may.At(i) && MayBeIn(m.Raw) {
			if _, last, n := s.Read(m); n > 0 {
				s.lost = last
				s.marks++
				return
			}
		}
	}
}

// wanted reports whether the client has its messages cached.
func (s *placing) wanted() bool { return s.marks > 0 || s.Automatic != nil }

// targets returns the messages that should get a mark, the most important first.
func (s *placing) targets() []int {
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
func (s *placing) isFar(at int) bool {
	n := 0
	for i := at + 1; i < len(s.messages) && n <= s.MaxGap; i++ {
		m := &s.messages[i]
		if m.m.Role() == view.Tool {
			n++
		} else {
			n += max(s.Blocks(&m.m), 1) // a string is one block
		}
		if m.mark != nil {
			break
		}
	}
	return n > s.MaxGap
}

// put marks the end of a message. If mark is nil, it copies the next mark, or else the previous
// one, so that longer lifetimes still precede shorter ones. It reports whether the message got a
// mark.
func (s *placing) put(at int, mark rawjson.Value) bool {
	if s.messages[at].mark != nil {
		return false
	}
	if mark == nil {
		mark = s.Automatic
		for i := len(s.messages) - 1; i > at; i-- {
			if s.messages[i].first != nil {
				mark = s.messages[i].first
			}
		}
	}
	for i := at - 1; mark == nil && i >= 0; i-- {
		mark = s.messages[i].mark
	}
	caller := at
	for caller > 0 && s.messages[caller].m.Role() == view.Tool {
		caller--
	}
	m := &s.messages[at]
	if m.raw = s.With(&m.m, &s.messages[caller].m, mark); m.raw == nil {
		return false
	}
	m.first, m.mark = mark, mark
	return true
}

// pieces returns the given pieces with the marked messages in place.
func (s *placing) pieces(pieces []view.Piece) []view.Piece {
	out := make([]view.Piece, 0, len(pieces)+2*s.Most)
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
