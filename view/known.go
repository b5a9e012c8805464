package view

import (
	"container/list"
	"hash/maphash"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"
)

// known is the view of a conversation's messages after the leading instructions, as a Parser
// remembers it. It holds no text and does not refer to a body.
type known struct {
	parser   *Parser
	scope    string // the name of the format and the scope
	key      uint64
	messages []Message // without Raw
	places   []place   // of each message, from the start of the first element
	anchors  []anchor  // in order; the last is at the end
	memory   *Memory
	extended atomic.Bool // messages and places were appended to: copy them before another append

	listed  *list.Element // in parser.recent; nil if not remembered
	counted int64         // in parser.bytes
}

// anchor is the end of a list element. Bodies are compared up to anchors.
type anchor struct {
	messages int
	end      int    // from the start of the first element
	hash     uint64 // of all bytes before it
}

// bytesPerMessage is the memory that a message takes in known.
const bytesPerMessage = int64(unsafe.Sizeof(Message{}) + unsafe.Sizeof(place{}))

// size estimates the memory that k takes, in bytes.
func (k *known) size() int64 {
	const fixed = 512
	return fixed + bytesPerMessage*int64(cap(k.messages)) + k.memory.size()
}

const (
	maxAnchors  = 64 // more are thinned out
	nearAnchors = 8  // one for each of the last messages
	farAnchors  = 8  // others, evenly spread
)

// hashSeed is random for each process, so that clients cannot construct collisions.
var hashSeed = maphash.MakeSeed()

// next returns the hash of the bytes of h followed by b.
func next(h uint64, b []byte) uint64 {
	return bits.RotateLeft64(h, 23)*0x9E3779B97F4A7C15 ^ maphash.Bytes(hashSeed, b)
}

// piece is a part of a body, with the hash of all bytes before it.
type piece struct {
	before    uint64
	from, end int
}

// match returns the last anchor up to which b equals the conversation, -1 if there is none. b
// begins at the first element.
//
// Branches of one conversation share their first anchors: hashed has the hashes that were computed
// for other branches, so that each shared part is hashed once.
func (k *known) match(b []byte, hashed map[piece]uint64) int {
	var h uint64
	from := 0
	for i := range k.anchors {
		a := &k.anchors[i]
		// A body cannot end directly after a message.
		if a.end >= len(b) {
			return i - 1
		}
		of := piece{h, from, a.end}
		sum, ok := hashed[of]
		if !ok {
			sum = next(h, b[from:a.end])
			hashed[of] = sum
		}
		if h = sum; h != a.hash {
			return i - 1
		}
		from = a.end
	}
	return len(k.anchors) - 1
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
	k := &known{parser: s.parser, scope: s.scope,
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
	k.memory = inherited.inherit(k, have)
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

// setAnchors adds anchors after the first have messages. b begins at the first element.
func (k *known) setAnchors(b []byte, have int) {
	n := len(k.messages)
	if len(k.anchors)+min(n-have, nearAnchors+farAnchors) > maxAnchors {
		k.anchors, have = nil, 0
	}
	var last anchor
	if len(k.anchors) > 0 {
		last = k.anchors[len(k.anchors)-1]
	}
	add := func(messages int) {
		if messages <= last.messages || messages > n || !k.closed(messages) {
			return
		}
		end := int(k.places[messages-1].elementEnd)
		last = anchor{messages, end, next(last.hash, b[last.end:end])}
		k.anchors = append(k.anchors, last)
	}
	for i := range farAnchors {
		add(have + (n-nearAnchors-have)*(i+1)/farAnchors)
	}
	for i := n - nearAnchors + 1; i <= n; i++ {
		add(i)
	}
}

// closed reports whether the given number of messages ends with an element, and no later element
// can become a part of the last of them.
func (k *known) closed(messages int) bool {
	last := &k.messages[messages-1]
	return !last.format.Open(last) && (messages == len(k.places) ||
		k.places[messages].elementStart != k.places[messages-1].elementStart)
}

// moved returns the place with all offsets increased.
func (p place) moved(by int) place {
	n := int32(by)
	return place{p.start + n, p.end + n, p.elementStart + n, p.elementEnd + n}
}
