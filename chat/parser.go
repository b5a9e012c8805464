package chat

import (
	"hash/maphash"
	"slices"
	"sync"
)

// Parser parses bodies of conversations that come again with new messages
// behind the old ones. It remembers, within bounds, how far it has read each:
// the old part of a body is then hashed instead of scanned, and its messages
// keep their fingerprints. The zero value is ready; it is safe for concurrent
// use.
type Parser struct {
	// MaxMessages bounds what is remembered: about 150 bytes a message. If zero,
	// 131,072.
	MaxMessages int

	mu       sync.Mutex
	seed     maphash.Seed
	known    map[uint64][]*prefix // by scope and opening, the newest last
	messages int
}

const (
	openingBytes = 1 << 10 // of a body, by which its conversation is looked up
	mostBranches = 4       // conversations with one opening that are told apart
	leastBytes   = 4 << 10 // of a body that is worth remembering
)

// Parse is [Parse]. What is remembered of one scope is never used for another.
func (p *Parser) Parse(scope string, body []byte) (*Request, error) {
	if len(body) < leastBytes {
		return Parse(body)
	}
	key, branches := p.lookUp(scope, body)
	// From the shortest on, so that the body is hashed once however many there are.
	slices.SortFunc(branches, func(a, b *prefix) int { return a.end - b.end })
	hash := newPrefixHash()
	var longest *prefix
	for _, b := range branches {
		if b.end < len(body) && hash.advance(body, b.end) == b.hash {
			longest = b
		}
	}
	var r *Request
	var err error
	if longest != nil {
		r, err = parseAfter(longest, body)
	} else {
		r, err = Parse(body)
	}
	if err != nil {
		return nil, err
	}
	if n := len(r.messages); n > 0 && r.at[n-1] > hash.upTo {
		p.remember(key, longest, r.prefix(hash))
	}
	return r, nil
}

func (p *Parser) lookUp(scope string, body []byte) (key uint64, branches []*prefix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = make(map[uint64][]*prefix)
		p.seed = maphash.MakeSeed()
	}
	var h maphash.Hash
	h.SetSeed(p.seed)
	h.WriteString(scope)
	h.WriteByte(0)
	h.Write(body[:openingBytes])
	key = h.Sum64()
	return key, slices.Clone(p.known[key])
}

// remember puts next in the place of last, which it goes on from, or of the
// oldest branch.
func (p *Parser) remember(key uint64, last, next *prefix) {
	p.mu.Lock()
	defer p.mu.Unlock()
	branches := p.known[key]
	i := slices.Index(branches, last)
	if i < 0 && len(branches) == mostBranches {
		i = 0
	}
	if i >= 0 {
		p.messages -= len(branches[i].messages)
		branches = slices.Delete(branches, i, i+1)
	}
	p.known[key] = append(branches, next)
	p.messages += len(next.messages)
	most := p.MaxMessages
	if most <= 0 {
		most = 1 << 17
	}
	for other, list := range p.known { // in random order: as good as any that needs no list
		if p.messages <= most {
			break
		}
		for _, b := range list {
			p.messages -= len(b.messages)
		}
		delete(p.known, other)
	}
}
