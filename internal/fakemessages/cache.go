package fakemessages

import (
	"sync"
	"time"
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
	at     map[*Block]int // where each block is among them
}

// tokens is the whole input.
func (l *layout) tokens() int {
	if len(l.places) == 0 {
		return tokensOfPrompt
	}
	return l.places[len(l.places)-1].tokens
}

func (s *Server) layout(r *Request, credential string) *layout {
	l := &layout{at: map[*Block]int{}}
	var buffer []byte
	key := chained([32]byte{}, []byte(credential+"\x00"+r.Model+"\x00"+r.fields.text("speed")))
	tokens, position, run := tokensOfPrompt, 0, ""
	add := func(b *Block) {
		buffer = appendCanonical(buffer[:0], b.fields, false)
		key = chained(key, buffer)
		tokens += s.blockTokens(r, b)
		// A run of calls counts as one place, and so does one of results (as above; on the
		// Claude API alone).
		joins := b.Type == run && !s.cfg.CountsEveryBlock &&
			(b.Type == typeToolUse || b.Type == typeToolResult)
		if !joins {
			position++
		}
		run = b.Type
		l.at[b] = len(l.places)
		l.places = append(l.places, place{key, tokens, position})
	}
	for _, b := range r.Tools {
		add(b)
	}
	for _, b := range r.System {
		add(b)
	}
	key = chained(key, r.messagesKey())
	seen := r.seenThinking()
	for _, turn := range r.Turns() {
		key = chained(key, appendCanonical([]byte(turn.Role), turn.settings, false))
		run = ""
		for _, b := range turn.Blocks {
			if !b.dropped && (!b.isThinking() || seen[b]) {
				add(b)
			}
		}
	}
	return l
}

// messagesKey is what a change of invalidates the messages alone: tool_choice, settings of
// thinking, and whether there are images.
func (r *Request) messagesKey() []byte {
	choice, _ := r.fields.get("tool_choice")
	effort := r.fields.object("output_config").text("effort")
	b := appendCanonical(nil, choice, true)
	b = appendCanonical(b, r.thinking.typ+"\x00"+effort, true)
	b = length(b, r.thinking.budget)
	for _, m := range r.Messages {
		for _, block := range m.Blocks {
			if block.Type == "image" || hasImage(block.fields) {
				return append(b, 1)
			}
		}
	}
	return append(b, 0)
}

func hasImage(fields object) bool {
	content, _ := fields.get("content")
	list, _ := content.([]any)
	for _, v := range list {
		if o, ok := v.(object); ok && o.text("type") == "image" {
			return true
		}
	}
	return false
}

// seenThinking returns the thinking blocks that the model sees: all, or with older models those
// since the user's last message of their own
// (https://platform.claude.com/docs/en/build-with-claude/thinking).
func (r *Request) seenThinking() map[*Block]bool {
	seen := map[*Block]bool{}
	turns := r.Turns()
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role == roleUser && !isLoop(turns[i]) && r.model.StripsThinking {
			break
		}
		for _, b := range turns[i].Blocks {
			seen[b] = true
		}
	}
	return seen
}

// use reads and writes the cache for a request that was accepted.
func (s *Server) use(r *Request, l *layout) (Usage, int) {
	now := s.now()
	c := &s.cache
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
	for _, m := range r.marks {
		i, ok := l.at[m.block]
		if !ok {
			continue
		}
		if hit := c.find(places, i, r.model.LeastCached, now); hit >= 0 {
			read = max(read, places[hit].tokens)
		}
	}
	u.CacheReadTokens = read
	written := read
	for _, m := range r.marks {
		i, ok := l.at[m.block]
		if !ok || places[i].tokens < r.model.LeastCached {
			continue
		}
		e, known := c.entries[places[i].key]
		if !known || e.expires.Before(now) {
			c.entries[places[i].key] = entry{m.ttl, now.Add(m.ttl)}
		}
		if n := places[i].tokens - written; n > 0 {
			if m.ttl == long {
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
	ttl := short
	for _, m := range r.marks {
		ttl = max(ttl, m.ttl)
	}
	read := 0
	for _, p := range places {
		e, ok := c.prefixes[p.key]
		if ok && !e.expires.Before(now) && p.tokens >= r.model.LeastCached {
			read = p.tokens
		}
		c.prefixes[p.key] = entry{ttl, now.Add(max(ttl, e.ttl))}
	}
	return read
}
