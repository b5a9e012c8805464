package fakeresponses

import (
	"hash/maphash"
	"sync"
	"time"

	"killick/internal/fakeserver"
	"killick/internal/fakeserver/openaiapi"
)

// prompt is what the model sees of a request, cut where a prefix of it may end.
type prompt struct {
	head     []string // what the cache is keyed on besides
	segments []segment
	tokens   int // of all
	fixed    int // of tools and of the format of the answer, which precede the segments
}

// segment is a part of an item, or an item that has no parts.
type segment struct {
	content []byte // canonical: equal for equal meaning
	tokens  int
	item    int  // the item that it belongs to; -1 for the instructions
	managed bool // a user's message or the output of a tool ends with it
	marked  bool // an explicit breakpoint follows it
	ttl     time.Duration
}

const (
	// maxMatched is how many breakpoints of a request are looked up, the latest ones.
	maxMatched = 80
	// maxWritten is how many are written, the latest ones. Where the server sets one of its own,
	// that is one of them.
	maxWritten = 4
	// unlimited is how long a prefix is kept where nothing is asked for: 24 hours, as for
	// organizations with data retention (openai-go v3.95.0, PromptCacheRetention).
	unlimited = 24 * time.Hour
)

// lifetimes are the values of ttl and of prompt_cache_retention. That of in_memory is not
// documented to the minute: 5 to 10 minutes without use.
var lifetimes = map[string]time.Duration{"30m": 30 * time.Minute, "12h": 12 * time.Hour,
	"24h": unlimited, "in_memory": 10 * time.Minute}

// lifetime returns how long an entry with a ttl is kept; without one, 30 minutes.
func lifetime(ttl string) time.Duration {
	if d, ok := lifetimes[ttl]; ok {
		return d
	}
	return lifetimes["30m"]
}

// promptCache remembers prefixes of prompts as OpenAI does, and beside it all prefixes, to compare.
// It holds only hashes.
type promptCache struct {
	mu      sync.Mutex
	seed    maphash.Seed
	all     fakeserver.Prefixes // of all requests
	written fakeserver.Prefixes // those at which a breakpoint was written
}

// cacheUse is what a request read from the cache and wrote to it, in tokens.
type cacheUse struct {
	read      int
	written30 int // for 30 minutes, or for as long as models without breakpoints keep them
	written12 int // for 12 hours
	longest   int // what the longest known prefix comes to
}

func (c *promptCache) init() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seed = maphash.MakeSeed()
	c.all, c.written = fakeserver.Prefixes{}, fakeserver.Prefixes{}
}

// breakpoint is a place at which a prefix may end.
type breakpoint struct {
	hash     uint64
	tokens   int  // up to it
	managed  bool // the server may set one here
	explicit bool
	ttl      time.Duration
}

// retention is how long all prefixes of a request are kept.
func retention(r *Request) time.Duration {
	if asked := r.Body.Text("prompt_cache_retention"); asked != "" {
		return lifetimes[asked]
	}
	return unlimited
}

// prefixes returns what precedes the segments, and the prefix that each segment ends.
func (c *promptCache) prefixes(p prompt) []breakpoint {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, s := range p.head {
		maphash.WriteComparable(&h, s)
	}
	prefixes := make([]breakpoint, 1, len(p.segments)+1)
	prefixes[0] = breakpoint{hash: h.Sum64(), tokens: p.fixed}
	for i, segment := range p.segments {
		h.Reset()
		maphash.WriteComparable(&h, prefixes[i].hash)
		_, _ = h.Write(segment.content)
		prefixes = append(prefixes,
			breakpoint{hash: h.Sum64(), tokens: prefixes[i].tokens + segment.tokens})
	}
	return prefixes
}

// longest finds the longest known prefix, and remembers them all.
func (c *promptCache) longest(prefixes []breakpoint, now time.Time, keep time.Duration) cacheUse {
	var use cacheUse
	for _, prefix := range prefixes {
		if !c.all.Has(prefix.hash, now) {
			break
		}
		use.longest = eligible(prefix.tokens)
	}
	for _, prefix := range prefixes {
		c.all.Add(prefix.hash, now.Add(keep))
	}
	return use
}

// eligible is how many of this many tokens are cached by models without breakpoints.
func eligible(tokens int) int {
	if tokens < openaiapi.MinCached {
		return 0
	}
	return tokens - tokens%openaiapi.CacheStep
}

// match reads the longest prefix that ends at one of the latest breakpoints and was written there.
// A shorter prefix without a breakpoint is not a hit.
func (c *promptCache) match(points []breakpoint, now time.Time, use *cacheUse) {
	for i := len(points) - 1; i >= max(0, len(points)-maxMatched); i-- {
		point := points[i]
		if c.written.Has(point.hash, now) {
			use.read = point.tokens
			c.written.Add(point.hash, now.Add(point.ttl)) // each use makes it last longer
			return
		}
	}
}

// write remembers the latest explicit breakpoints, and in implicit mode the server's own.
func (c *promptCache) write(points []breakpoint, explicit bool, now time.Time, use *cacheUse) {
	left, own := maxWritten, !explicit
	if own {
		left--
	}
	var chosen []breakpoint // from the last
	for i := len(points) - 1; i >= 0; i-- {
		switch point := points[i]; {
		case own && point.managed:
			own = false
			chosen = append(chosen, point)
		case point.explicit && left > 0:
			left--
			chosen = append(chosen, point)
		}
	}
	from := use.read
	for i := len(chosen) - 1; i >= 0; i-- {
		point := chosen[i]
		if point.tokens < openaiapi.MinCached {
			continue
		}
		c.written.Add(point.hash, now.Add(point.ttl))
		if point.tokens <= from {
			continue
		}
		if point.ttl >= lifetimes["12h"] {
			use.written12 += point.tokens - from
		} else {
			use.written30 += point.tokens - from
		}
		from = point.tokens
	}
}
