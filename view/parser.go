package view

import (
	"container/list"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// DefaultParserBytes is the limit of a Parser whose MaxBytes is zero.
const DefaultParserBytes = 256 << 20

// Parser parses bodies of conversations, each of which is sent again and again with new messages at
// its end. Within MaxBytes, it remembers the part of each conversation that it has read: that part
// of the next body is hashed instead of scanned. Values derived from that part can be kept with it,
// in the request's [Memory]. The least recently used conversation is forgotten first. The zero
// value is ready to use; it is safe for concurrent use.
type Parser struct {
	MaxBytes int64 // if zero, DefaultParserBytes
	MinBytes int   // smaller bodies are not remembered; if zero, 4 KiB

	mu     sync.Mutex
	known  map[uint64][]*known // by opening
	recent *list.List          // of *known, the most recently used first
	bytes  int64

	forgets atomic.Int64 // calls of Forget
}

const (
	maxBranches = 16 // conversations with the same opening that are remembered
	minBytes    = 4 << 10
	maxShare    = 8 // a conversation may take MaxBytes divided by this
)

// Bytes returns approximately how much memory the remembered conversations take.
func (p *Parser) Bytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// Forget drops the remembered conversations of a scope, or of all scopes if scope is "". Requests
// that are being parsed meanwhile are not remembered.
func (p *Parser) Forget(scope string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgets.Add(1)
	if p.recent == nil {
		return
	}
	var next *list.Element
	for e := p.recent.Front(); e != nil; e = next { // drop unlinks e
		next = e.Next()
		k := e.Value.(*known)
		if _, of, _ := strings.Cut(k.scope, "\x00"); scope == "" || of == scope {
			p.drop(k)
		}
	}
}

// branches returns the remembered conversations with an opening, or with its first message alone.
func (p *Parser) branches(o opening) []*known {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known, p.recent = map[uint64][]*known{}, list.New()
	}
	if o.further == o.first {
		return slices.Clone(p.known[o.first])
	}
	return slices.Concat(p.known[o.further], p.known[o.first])
}

// use marks k as recently used.
func (p *Parser) use(k *known) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k.listed != nil {
		p.recent.MoveToFront(k.listed)
	}
}

// replace remembers next, in place of last if that is not nil. It does nothing if Forget was called
// since the count of its calls was forgets.
func (p *Parser) replace(last, next *known, forgets int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.forgets.Load() != forgets {
		return
	}
	if last != nil {
		p.drop(last)
	}
	if branches := p.known[next.key]; len(branches) >= maxBranches {
		p.drop(branches[0])
	}
	p.known[next.key] = append(p.known[next.key], next)
	next.listed = p.recent.PushFront(next)
	p.weigh(next)
}

// grown updates the size of k, to whose memory something was added.
func (p *Parser) grown(k *known) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.weigh(k)
}

// weigh updates the size of k and makes room. The caller holds mu.
func (p *Parser) weigh(k *known) {
	if k.listed == nil {
		return
	}
	n := k.size()
	p.bytes += n - k.counted
	k.counted = n
	most := p.MaxBytes
	if most <= 0 {
		most = DefaultParserBytes
	}
	if n > most/maxShare { // it would evict all others
		p.drop(k)
	}
	for p.bytes > most && p.recent.Len() > 0 {
		p.drop(p.recent.Back().Value.(*known))
	}
}

// drop forgets k. The caller holds mu.
func (p *Parser) drop(k *known) {
	if k.listed == nil {
		return
	}
	p.recent.Remove(k.listed)
	p.bytes -= k.counted
	k.listed, k.counted = nil, 0
	branches := p.known[k.key]
	for i := range branches {
		if branches[i] == k {
			branches = append(branches[:i:i], branches[i+1:]...)
			break
		}
	}
	if len(branches) == 0 {
		delete(p.known, k.key)
	} else {
		p.known[k.key] = branches
	}
}
