package view

import (
	"cmp"
	"slices"
)

// Parse is like the function [Parse]. What it remembers for one scope is never used for another.
func (p *Parser) Parse(f Format, scope string, body []byte) (*Request, error) {
	if len(body) < cmp.Or(p.MinBytes, minBytes) {
		return Parse(f, body)
	}
	s := resumption{parser: p, scope: f.Name() + "\x00" + scope, forgets: p.forgets.Load()}
	r := &Request{format: f, raw: body, resume: s.resume}
	if err := r.parse(); err != nil {
		return nil, err
	}
	s.remember(r)
	return r, nil
}

// resumption is the state of parsing one body.
type resumption struct {
	parser *Parser
	scope  string
	// forgets is the number of calls of Forget before the request came.
	forgets int64

	opens  opening
	at     int    // where the first message after the instructions starts; 0 if none was read
	lead   int    // the number of messages before it
	from   *known // the known conversation that the body continues, nil if none
	anchor int    // the last matching anchor of from
}

// resume is called with the offsets of the first message after the leading instructions. It adds
// the known messages to r and returns where they end.
func (s *resumption) resume(r *Request, at, end int) int {
	s.at, s.lead = at, len(r.list.Messages)-1
	for s.lead > 0 && int(r.list.places[s.lead-1].elementStart) == at {
		s.lead--
	}
	s.opens = openingOf(s.scope, r.raw, at, end)
	most, hashed := 0, map[piece]uint64{}
	for _, k := range s.parser.branches(s.opens) {
		if i := k.match(r.raw[at:], hashed); i >= 0 && k.anchors[i].messages > most {
			s.from, s.anchor, most = k, i, k.anchors[i].messages
		}
	}
	if s.from == nil {
		return end
	}
	s.parser.use(s.from)
	if s.lead+most > MaxMessages {
		r.list.full = true
		return end
	}
	messages := make([]Message, s.lead+most, s.lead+most+8)
	copy(messages, r.list.Messages[:s.lead])
	copy(messages[s.lead:], s.from.messages[:most])
	places := make([]place, s.lead+most, s.lead+most+8)
	copy(places, r.list.places[:s.lead])
	for i, p := range s.from.places[:most] {
		p = p.moved(at)
		places[s.lead+i] = p
		messages[s.lead+i].Raw = r.raw[p.start:p.end:p.end]
	}
	r.list.Messages, r.list.places = messages, places
	return at + s.from.anchors[s.anchor].end
}

// remember stores the view of r.
func (s *resumption) remember(r *Request) {
	n := len(r.list.Messages) - s.lead
	if s.at == 0 || n == 0 {
		return
	}
	have := 0
	if s.from != nil {
		have = s.from.anchors[s.anchor].messages
	}
	if s.from != nil && have == n && have == len(s.from.messages) {
		r.memory = s.from.memory
		return
	}
	k := &known{scope: s.scope,
		key: s.opens.key(int(r.list.places[len(r.list.places)-1].elementEnd))}
	var inherited *Memory
	if s.from != nil {
		inherited = s.from.memory
		k.messages, k.places = s.from.messages[:have], s.from.places[:have]
		if have < len(s.from.messages) || !s.from.extended.CompareAndSwap(false, true) {
			k.messages, k.places = k.messages[:have:have], k.places[:have:have]
		}
		k.anchors = s.from.anchors[: s.anchor+1 : s.anchor+1]
	}
	k.messages, k.places = slices.Grow(k.messages, n-have), slices.Grow(k.places, n-have)
	for i := s.lead + have; i < len(r.list.Messages); i++ {
		m := r.list.Messages[i]
		m.Raw = nil
		k.messages = append(k.messages, m)
		k.places = append(k.places, r.list.places[i].moved(-s.at))
	}
	k.setAnchors(r.raw[s.at:], have)
	p := s.parser // without s, since that holds the conversation that this one replaces
	k.memory = inherited.inherit(have, func() { p.grown(k) })
	r.memory = k.memory
	s.parser.replace(s.outgrown(have), k, s.forgets)
}

// outgrown returns the known conversation if the body replaces it: if the body contains all but its
// last few messages. Otherwise it returns nil.
func (s *resumption) outgrown(have int) *known {
	if s.from != nil && len(s.from.messages)-have <= nearAnchors {
		return s.from
	}
	return nil
}
