package replay

import (
	"encoding/binary"
	"hash/maphash"
	"time"

	"killick/view"
)

// prompt is one request as a provider bills it.
type prompt struct {
	sent, ended time.Time // zero if no times were recorded: then no cache expires
	// sizes has the number of tokens of each prefix: of what precedes the messages, then up to each
	// message. hashes identify the prefixes.
	sizes   []float64
	hashes  []uint64
	leading int     // messages that belong to the preamble
	fresh   float64 // weight of the messages that no earlier request contained
	shared  float64 // tokens of the preamble that were cached before the conversation began
	// lost is true if the client's cache was lost within its lifetime, for example by other tools
	// or another model. Only the first kept tokens were cached then.
	lost bool
	kept float64
}

func (q *prompt) total() float64 { return q.sizes[len(q.sizes)-1] }

// invoice bills the requests of one conversation under one profile.
type invoice struct {
	Profile
	used    map[uint64]time.Time // when each cached prefix was last used
	started bool
	last    time.Time // when the previous request ended
}

func newInvoice(p Profile) *invoice { return &invoice{Profile: p, used: map[uint64]time.Time{}} }

// add adds a request, and returns its cost and the number of its tokens that were cached.
func (v *invoice) add(q *prompt) (cost Parts, cached float64) {
	expired := v.started && q.sent.Sub(v.last) > v.Lifetime
	hit := v.longest(q)
	if hit >= 0 {
		cached = q.sizes[hit]
	}
	if !v.started {
		cached = min(q.shared, q.sizes[0])
		v.started = true
	}
	if q.lost {
		cached, hit = min(cached, q.kept), -1
		clear(v.used)
	}
	if cached < float64(v.Minimum) {
		cached = 0
	}
	v.store(q, hit)
	v.last = q.ended
	return v.parts(q, cached, expired), cached
}

// longest returns the index of the longest prefix that is cached, -1 if none is.
func (v *invoice) longest(q *prompt) int {
	for i := len(q.hashes) - 1; i >= 0; i-- {
		if at, ok := v.used[q.hashes[i]]; ok && q.sent.Sub(at) <= v.Lifetime {
			return i
		}
	}
	return -1
}

// store caches the prefixes of a request and renews the one that was read.
func (v *invoice) store(q *prompt, hit int) {
	if v.Match == MatchMark {
		if hit >= 0 {
			v.used[q.hashes[hit]] = q.ended
		}
		v.used[q.hashes[q.leading]], v.used[q.hashes[len(q.hashes)-1]] = q.ended, q.ended
		return
	}
	for _, h := range q.hashes {
		v.used[h] = q.ended
	}
}

// preamble returns the request with its preamble only.
func (q *prompt) preamble() *prompt {
	only := *q
	only.sizes = q.sizes[q.leading : q.leading+1]
	only.hashes = q.hashes[q.leading : q.leading+1]
	only.leading = 0
	return &only
}

// promptOf returns a request as a provider bills it. overhead is the number of tokens outside its
// messages by our own count; tools is what precedes the messages.
func (s *Study) promptOf(t *turn, tools []byte, overhead int, messages []*message) *prompt {
	q := &prompt{sent: t.sent, ended: t.ended, shared: t.shared, lost: t.lost, kept: t.kept,
		leading: leadingInstructions(messages),
		sizes:   make([]float64, 0, len(messages)+1),
		hashes:  make([]uint64, 0, len(messages)+1)}
	size := s.preamble + float64(overhead-s.overhead)*s.scale
	h := maphash.Bytes(promptSeed, tools)
	q.sizes, q.hashes = append(q.sizes, size), append(q.hashes, h)
	for _, m := range messages {
		size += s.weight(t, m)
		h = chained(h, m.fingerprint)
		q.sizes, q.hashes = append(q.sizes, size), append(q.hashes, h)
	}
	for _, m := range t.messages[max(len(t.messages)-t.fresh, leadingInstructions(t.messages)):] {
		q.fresh += s.weight(t, m)
	}
	return q
}

var promptSeed = maphash.MakeSeed()

// chained returns the hash of a prefix, given that of the prefix without its last message.
func chained(before uint64, message view.Fingerprint) uint64 {
	var b [24]byte
	binary.LittleEndian.PutUint64(b[:], before)
	binary.LittleEndian.PutUint64(b[8:], message[0])
	binary.LittleEndian.PutUint64(b[16:], message[1])
	return maphash.Bytes(promptSeed, b[:])
}

// leadingInstructions returns how many system or developer messages precede all others.
func leadingInstructions(messages []*message) (n int) {
	for n < len(messages) && messages[n].role.Instructs() {
		n++
	}
	return n
}

// Parts are the parts of the input cost of requests, in fresh input tokens.
type Parts struct {
	Preamble  float64 `json:"preamble"`  // instructions and tools, read or written
	New       float64 `json:"new"`       // messages that no earlier request contained
	Cached    float64 `json:"cached"`    // earlier messages, read from the cache
	Rewritten float64 `json:"rewritten"` // earlier messages, written again after a change
	Expired   float64 `json:"expired"`   // earlier messages, written again after the lifetime
	Lost      float64 `json:"lost"`      // earlier messages, written again after the cache was lost
}

// Total returns the cost.
func (p Parts) Total() float64 {
	return p.Preamble + p.New + p.Cached + p.Rewritten + p.Expired + p.Lost
}

func (p *Parts) add(o Parts) {
	p.Preamble += o.Preamble
	p.New += o.New
	p.Cached += o.Cached
	p.Rewritten += o.Rewritten
	p.Expired += o.Expired
	p.Lost += o.Lost
}

// parts returns the cost of a request that reads this many cached tokens. expired reports whether
// the previous request is older than the lifetime of the cache.
func (p *Profile) parts(q *prompt, cached float64, expired bool) (all Parts) {
	factor := p.factor(q.total())
	read, write := factor*p.Cached, factor*p.Write
	preamble := q.sizes[q.leading]
	all.Preamble = read*min(cached, preamble) + write*max(preamble-cached, 0)
	all.Cached = read * max(cached-preamble, 0)
	uncached := q.total() - max(cached, preamble)
	fresh := min(q.fresh, uncached)
	all.New = write * fresh
	switch again := write * (uncached - fresh); {
	case q.lost:
		all.Lost = again
	case expired:
		all.Expired = again
	default:
		all.Rewritten = again
	}
	return all
}
