package fakeserver

import "time"

// generation is how many prefixes are remembered before older ones are
// forgotten: between one and two generations are held, a few megabytes.
const generation = 1 << 17

// Prefixes remembers hashes of prefixes of prompts as a provider's prompt cache remembers the
// prefixes. The zero value is empty. It is not safe for concurrent use.
type Prefixes struct {
	young, old map[uint64]int64 // when they end, in nanoseconds; 0 is never
}

// Has reports whether a prefix is remembered at a time.
func (p *Prefixes) Has(prefix uint64, now time.Time) bool {
	until, ok := p.young[prefix]
	if !ok {
		until, ok = p.old[prefix]
	}
	return ok && (until == 0 || now.UnixNano() < until)
}

// Add remembers a prefix until a time, or longer if it was added for longer; if that is zero,
// forever.
func (p *Prefixes) Add(prefix uint64, until time.Time) {
	end := int64(0)
	if !until.IsZero() {
		end = until.UnixNano()
	}
	was, known := p.young[prefix]
	if !known {
		was, known = p.old[prefix]
	}
	if known && end != 0 && (was == 0 || was > end) {
		end = was
	}
	if len(p.young) >= generation || p.young == nil {
		p.old, p.young = p.young, make(map[uint64]int64)
	}
	p.young[prefix] = end
}
