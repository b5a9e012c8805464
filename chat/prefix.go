package chat

import (
	"hash/maphash"
	"slices"
)

// prefix is what is known of the beginning of a body, up to the end of one of
// its messages. It holds no text, refers to no body and never changes.
type prefix struct {
	end      int         // bytes of the body
	hash     Fingerprint // of body[:end]
	fields   []field     // before the messages
	array    int         // where the messages start
	messages []Message   // without Raw
	spans    []span
}

// prefixHash hashes the beginning of a body further and further.
type prefixHash struct {
	h    [2]maphash.Hash
	upTo int
}

func newPrefixHash() *prefixHash {
	p := &prefixHash{}
	for i, seed := range fingerprintSeeds {
		p.h[i].SetSeed(seed)
	}
	return p
}

// advance returns the hash of body[:end]; ends must not decrease.
func (p *prefixHash) advance(body []byte, end int) (f Fingerprint) {
	for i := range p.h {
		p.h[i].Write(body[p.upTo:end])
		f[i] = p.h[i].Sum64()
	}
	p.upTo = end
	return f
}

// prefix returns what is known of r up to its last message, nil if it has none.
// Its messages are fingerprinted for it.
func (r *Request) prefix(hash *prefixHash) *prefix {
	n := len(r.messages)
	if n == 0 {
		return nil
	}
	p := &prefix{
		end:      r.at[n-1] + len(r.messages[n-1].Raw),
		array:    r.array.start,
		messages: slices.Clone(r.messages),
		spans:    make([]span, n),
	}
	for _, f := range r.fields {
		if f.value.end <= r.array.start {
			p.fields = append(p.fields, f)
		}
	}
	for i := range p.messages {
		p.messages[i].fingerprint = r.messages[i].Fingerprint()
		p.messages[i].Raw = nil
		p.spans[i] = span{r.at[i], r.at[i] + len(r.messages[i].Raw)}
	}
	p.hash = hash.advance(r.raw, p.end)
	return p
}

// parseAfter is Parse for a body that begins with what p stands for: only what
// follows is scanned.
func parseAfter(p *prefix, body []byte) (*Request, error) {
	r := &Request{
		raw:      body,
		fields:   slices.Clone(p.fields),
		messages: slices.Grow(slices.Clone(p.messages), 8),
		at:       make([]int, len(p.spans), len(p.spans)+8),
	}
	for i, s := range p.spans {
		r.at[i] = s.start
		r.messages[i].Raw = body[s.start:s.end:s.end]
	}
	end, err := nextItem(body, p.end, ']')
	if err == nil && body[end-1] == ',' {
		end, err = walkElements(body, space(body, end), r.readMessage)
	}
	if err == nil {
		r.array = span{p.array, end}
		end, err = nextItem(body, end, '}')
	}
	if err == nil && body[end-1] == ',' {
		end, err = walkMembers(body, space(body, end), r.readField)
	}
	return r.finish(end, err)
}
