package fakemessages

import (
	"sync"
	"time"

	"killick/internal/fakemessages/request"
)

// The prompt cache: https://platform.claude.com/docs/en/build-with-claude/prompt-caching

// lookback is how many places are inspected from a mark on, itself included.
const lookback = 20

// place is the end of a block in the order in which a prompt is cached.
type place struct {
	key      [32]byte // of all up to it
	tokens   int      // up to it
	position int      // as the look-back counts
}

// promptCache holds entries written at marks, and beside them every prefix, for comparison.
type promptCache struct {
	mu       sync.Mutex
	entries  map[[32]byte]entry
	prefixes map[[32]byte]entry
}

type entry struct {
	ttl     time.Duration
	expires time.Time
}

func (c *promptCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.prefixes = map[[32]byte]entry{}, map[[32]byte]entry{}
}

// maxEntries is how many prefixes are held before those that have expired are removed.
const maxEntries = 1 << 18

func prune(entries map[[32]byte]entry, now time.Time) {
	if len(entries) < maxEntries {
		return
	}
	for key, e := range entries {
		if e.expires.Before(now) {
			delete(entries, key)
		}
	}
}

// layout is a request as it is cached: the ends of all blocks that the model sees.
type layout struct {
	places []place
	at     map[*request.Block]int // where each block is among them
}

// tokens is the whole input.
func (l *layout) tokens() int {
	if len(l.places) == 0 {
		return tokensOfPrompt
	}
	return l.places[len(l.places)-1].tokens
}

// use reads and writes the cache for a request that was accepted. It returns the usage, and how
// many tokens a cache of every prefix would have read.
func (c *promptCache) use(r *Request, l *layout, now time.Time) (Usage, int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	prune(c.entries, now)
	prune(c.prefixes, now)
	usage := c.byMarks(r, l, now)
	usage.InputTokens = l.tokens() - usage.CacheReadTokens - usage.CacheCreationTokens
	return usage, c.byPrefix(r, l.places, now)
}

// byMarks reads from each mark back, and writes at each.
func (c *promptCache) byMarks(r *Request, l *layout, now time.Time) Usage {
	var u Usage
	places, read := l.places, 0
	for _, m := range r.Marks {
		i, ok := l.at[m.Block]
		if !ok {
			continue
		}
		if hit := c.find(places, i, r.Rules.LeastCached, now); hit >= 0 {
			read = max(read, places[hit].tokens)
		}
	}
	u.CacheReadTokens = read
	written := read
	for _, m := range r.Marks {
		i, ok := l.at[m.Block]
		if !ok || places[i].tokens < r.Rules.LeastCached {
			continue
		}
		e, known := c.entries[places[i].key]
		if !known || e.expires.Before(now) {
			c.entries[places[i].key] = entry{m.Ttl, now.Add(m.Ttl)}
		}
		if n := places[i].tokens - written; n > 0 {
			if m.Ttl == request.Long {
				u.CacheCreation1hTokens += n
			} else {
				u.CacheCreation5mTokens += n
			}
			written = places[i].tokens
		}
	}
	u.CacheCreationTokens = u.CacheCreation5mTokens + u.CacheCreation1hTokens
	return u
}

// find returns the last place up to i that has an entry and is near enough, -1 if there is none.
// What is read lives on from now.
func (c *promptCache) find(places []place, i, least int, now time.Time) int {
	for j := i; j >= 0 && places[i].position-places[j].position < lookback; j-- {
		e, ok := c.entries[places[j].key]
		if ok && !e.expires.Before(now) && places[j].tokens >= least {
			c.entries[places[j].key] = entry{e.ttl, now.Add(e.ttl)}
			return j
		}
	}
	return -1
}

// byPrefix returns how many tokens a cache of every prefix would have read, and remembers them all.
// They live as long as the marks of the request say, 5 minutes without any.
func (c *promptCache) byPrefix(r *Request, places []place, now time.Time) int {
	ttl := request.Short
	for _, m := range r.Marks {
		ttl = max(ttl, m.Ttl)
	}
	read := 0
	for _, p := range places {
		e, ok := c.prefixes[p.key]
		if ok && !e.expires.Before(now) && p.tokens >= r.Rules.LeastCached {
			read = p.tokens
		}
		c.prefixes[p.key] = entry{ttl, now.Add(max(ttl, e.ttl))}
	}
	return read
}
