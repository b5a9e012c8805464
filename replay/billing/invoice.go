package billing

import (
	"encoding/binary"
	"hash/maphash"
	"time"
)

// Prompt is one request as a provider bills it.
type Prompt struct {
	Sent, Ended time.Time // zero if no times were recorded: then no cache expires
	Leading     int       // messages that belong to the preamble
	Fresh       float64   // tokens of the messages that no earlier request contained
	Shared      float64   // tokens of the preamble that were cached before the conversation began
	// Lost is true if the client's cache was lost within its lifetime, for example by other tools
	// or another model. Only the first Kept tokens were cached then.
	Lost bool
	Kept float64

	// sizes has the number of tokens of each prefix: of what precedes the messages, then up to each
	// message. hashes identify the prefixes.
	sizes  []float64
	hashes []uint64
}

// Add adds what precedes the messages, or else the next message: its tokens, and what identifies
// it.
func (q *Prompt) Add(tokens float64, identity [2]uint64) {
	var size float64
	var prefix uint64
	if n := len(q.sizes); n > 0 {
		size, prefix = q.sizes[n-1], q.hashes[n-1]
	}
	var b [24]byte
	binary.LittleEndian.PutUint64(b[:], prefix)
	binary.LittleEndian.PutUint64(b[8:], identity[0])
	binary.LittleEndian.PutUint64(b[16:], identity[1])
	q.sizes, q.hashes = append(q.sizes, size+tokens), append(q.hashes, maphash.Bytes(seed, b[:]))
}

var seed = maphash.MakeSeed()

func (q *Prompt) total() float64 { return q.sizes[len(q.sizes)-1] }

// Invoice bills the requests of one conversation under one profile.
type Invoice struct {
	Profile
	used    map[uint64]time.Time // when each cached prefix was last used
	started bool
	last    time.Time // when the previous request ended
}

// NewInvoice returns one without requests.
func NewInvoice(p Profile) *Invoice { return &Invoice{Profile: p, used: map[uint64]time.Time{}} }

// Add adds a request, and returns its cost and the number of its tokens that were cached.
func (v *Invoice) Add(q *Prompt) (cost Parts, cached float64) {
	expired := v.started && q.Sent.Sub(v.last) > v.Lifetime
	hit := v.longest(q)
	if hit >= 0 {
		cached = q.sizes[hit]
	}
	if !v.started {
		cached = min(q.Shared, q.sizes[0])
		v.started = true
	}
	if q.Lost {
		cached, hit = min(cached, q.Kept), -1
		clear(v.used)
	}
	if cached < float64(v.Minimum) {
		cached = 0
	}
	v.store(q, hit)
	v.last = q.Ended
	return v.parts(q, cached, expired), cached
}

// longest returns the index of the longest prefix that is cached, -1 if none is.
func (v *Invoice) longest(q *Prompt) int {
	for i := len(q.hashes) - 1; i >= 0; i-- {
		if at, ok := v.used[q.hashes[i]]; ok && q.Sent.Sub(at) <= v.Lifetime {
			return i
		}
	}
	return -1
}

// store caches the prefixes of a request and renews the one that was read.
func (v *Invoice) store(q *Prompt, hit int) {
	if v.Match == MatchMark {
		if hit >= 0 {
			v.used[q.hashes[hit]] = q.Ended
		}
		v.used[q.hashes[q.Leading]], v.used[q.hashes[len(q.hashes)-1]] = q.Ended, q.Ended
		return
	}
	for _, h := range q.hashes {
		v.used[h] = q.Ended
	}
}

// preamble returns the request with its preamble only.
func (q *Prompt) preamble() *Prompt {
	only := *q
	only.sizes = q.sizes[q.Leading : q.Leading+1]
	only.hashes = q.hashes[q.Leading : q.Leading+1]
	only.Leading = 0
	return &only
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

// Add adds the parts of another cost.
func (p *Parts) Add(o Parts) {
	p.Preamble += o.Preamble
	p.New += o.New
	p.Cached += o.Cached
	p.Rewritten += o.Rewritten
	p.Expired += o.Expired
	p.Lost += o.Lost
}

// parts returns the cost of a request that reads this many cached tokens. expired reports whether
// the previous request is older than the lifetime of the cache.
func (p *Profile) parts(q *Prompt, cached float64, expired bool) (all Parts) {
	factor := p.factor(q.total())
	read, write := factor*p.Cached, factor*p.Write
	preamble := q.sizes[q.Leading]
	all.Preamble = read*min(cached, preamble) + write*max(preamble-cached, 0)
	all.Cached = read * max(cached-preamble, 0)
	uncached := q.total() - max(cached, preamble)
	fresh := min(q.Fresh, uncached)
	all.New = write * fresh
	switch again := write * (uncached - fresh); {
	case q.Lost:
		all.Lost = again
	case expired:
		all.Expired = again
	default:
		all.Rewritten = again
	}
	return all
}

// Floor bills what no strategy can avoid that sends each new token once: the preamble, read within
// its lifetime, and the new messages.
type Floor struct{ preambles *Invoice }

// NewFloor returns one without requests. A minimum, a cliff and a match rule do not count.
func NewFloor(p Profile) Floor {
	return Floor{NewInvoice(Profile{Cached: p.Cached, Write: p.Write, Lifetime: p.Lifetime})}
}

// Add adds a request, and returns its least cost.
func (f Floor) Add(q *Prompt) float64 {
	cost, _ := f.preambles.Add(q.preamble())
	return cost.Total() + q.Fresh*f.preambles.Write
}
