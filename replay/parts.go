package replay

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
