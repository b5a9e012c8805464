package view

// The functions in this file are for tests in package view_test, which read requests of a real
// format.

const (
	MaxBranches = maxBranches
	NearAnchors = nearAnchors
)

// Branches returns how many conversations are known for each opening.
func (p *Parser) Branches() (n []int) {
	for _, branches := range p.known {
		n = append(n, len(branches))
	}
	return n
}

// Latest returns the conversation that was used last.
func (p *Parser) Latest() *known { return p.recent.Front().Value.(*known) }

// PutBack remembers k in place of the conversation that was used last, as if it were new.
func (p *Parser) PutBack(k *known) {
	p.replace(p.Latest(), k, p.forgets.Load())
	k.extended.Store(false)
}

// PutInPlaceOfItself remembers k again, in place of itself, as if its request had come before
// anything was forgotten.
func (p *Parser) PutInPlaceOfItself(k *known) { p.replace(k, k, 0) }

// Counted returns the sum of the sizes of all remembered conversations.
func (p *Parser) Counted() (sum int64) {
	for e := p.recent.Front(); e != nil; e = e.Next() {
		sum += e.Value.(*known).counted
	}
	return sum
}

// HashedFor returns how many bytes of a request are hashed to find its conversation, and with how
// many branches it is compared. lead is the number of its leading instructions.
func (p *Parser) HashedFor(scope string, r *Request, lead int) (bytes, branches int) {
	at := r.list.places[lead]
	all := p.branches(openingOf(r.format.Name()+"\x00"+scope, r.raw, int(at.elementStart),
		int(at.elementEnd)))
	hashed := map[piece]uint64{}
	for _, k := range all {
		k.match(r.raw[at.elementStart:], hashed)
	}
	for of := range hashed {
		bytes += of.end - of.from
	}
	return bytes, len(all)
}

// FieldsNamed returns how many members beside the messages have the given name.
func (r *Request) FieldsNamed(name string) (n int) {
	for _, f := range r.fields {
		if f.key.Of(r.raw).Is(name) {
			n++
		}
	}
	return n
}
