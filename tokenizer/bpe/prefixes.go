package bpe

// prefixes find the tokens that a text starts with: a trie of all tokens. Nodes
// below the number of tokens are those tokens.
type prefixes struct {
	tokens  int
	single  [256]rank
	starts  [1 << 16]rank // the node of two bytes, none if there is none
	nodes   table         // node and byte → node
	shorter []rank        // the longest token that each token starts with, itself apart
}

func newPrefixes(m *merges) *prefixes {
	n := len(m.halves)
	p := &prefixes{tokens: n, shorter: make([]rank, n), nodes: newTable(len(m.text) / 4)}
	for r, b := range m.single {
		p.single[b], p.shorter[r] = rank(r), none
	}
	for i := range p.starts {
		p.starts[i] = none
	}
	// Shorter tokens come first: a node that is a token must be known as such
	// before one that leads past it is made.
	var byLength [maxTokenBytes + 1][]rank
	for r := 256; r < n; r++ {
		size := len(m.of(rank(r)))
		byLength[size] = append(byLength[size], rank(r))
	}
	next := rank(n) // the next node that is not a token
	for _, ranks := range byLength[2:] {
		for _, r := range ranks {
			next = p.add(m, r, next)
		}
	}
	return p
}

// add adds a token below its left half, with new nodes from next on if needed.
func (p *prefixes) add(m *merges, r, next rank) rank {
	token, left := m.of(r), m.halves[r][0]
	longest, at, i := left, left, len(m.of(left))
	if i == 1 {
		start := &p.starts[int(token[0])<<8|int(token[1])]
		if i++; *start == none {
			if *start = r; len(token) > 2 {
				*start, next = next, next+1
			}
		}
		at = *start
	}
	for ; i < len(token); i++ {
		if int(at) < p.tokens {
			longest = at
		}
		key := trieKey(at, token[i])
		if at = p.nodes.get(key); at != none {
			continue
		}
		if at = r; i < len(token)-1 {
			at, next = next, next+1
		}
		if p.nodes.full() {
			p.nodes = p.nodes.doubled()
		}
		p.nodes.add(key, at)
	}
	p.shorter[r] = longest
	return next
}

// longest returns the longest token that text, which is not empty, starts with.
func (p *prefixes) longest(text []byte) rank {
	found := p.single[text[0]]
	if len(text) == 1 {
		return found
	}
	node := p.starts[int(text[0])<<8|int(text[1])]
	for i := 2; node != none; i++ {
		if int(node) < p.tokens {
			found = node
		}
		if i >= len(text) {
			break
		}
		node = p.nodes.get(trieKey(node, text[i]))
	}
	return found
}
