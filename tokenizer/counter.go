package tokenizer

import (
	"hash/maphash"
	"strings"
	"sync"

	"killick/tokenizer/bpe"
)

// Options are the bounds of a Counter.
type Options struct {
	MemoEntries int // messages whose counts are remembered; if zero, 65536 (1.6 MB)
	// Hash identifies models by their names. Processes that exchange what they learned must have
	// the same one. If nil, a hash that only this process has.
	Hash func(model string) uint64
}

// maxModels bounds the model names that a Counter remembers, and maxModelName their length in
// bytes: they come from clients. Longer ones are resolved again each time.
const (
	maxModels    = 1024
	maxModelName = 256
)

// Counter counts requests. It remembers counts and ratios between requests, within fixed bounds. It
// is safe for concurrent use.
type Counter struct {
	memo   *memo
	hash   func(string) uint64
	ratios ratios
	mu     sync.RWMutex
	models map[string]*tables
}

// New returns a Counter.
func New(o Options) *Counter {
	if o.MemoEntries <= 0 {
		o.MemoEntries = 1 << 16
	}
	if o.Hash == nil {
		o.Hash = func(model string) uint64 { return maphash.String(memoSeeds[0], model) }
	}
	return &Counter{
		memo:   newMemo(o.MemoEntries),
		hash:   o.Hash,
		models: make(map[string]*tables),
	}
}

// For is ForClient with a single client.
func (c *Counter) For(model string) Model { return c.ForClient("", model) }

// ForClient returns the Model for the requests of one client, whose keyed hash is who. What is
// remembered and learned of these requests is not used for another client, who could otherwise
// detect it by a value or by the time that it saves. The call is cheap: the model's encoding is
// built when something is first counted with it, or by [Warm].
func (c *Counter) ForClient(who, model string) Model {
	return Model{c.tablesOf(model), c.memo, &c.ratios, clientOf(who)}
}

// Lookups returns how many counts were found in memory, and how many had to be made.
func (c *Counter) Lookups() (found, missed uint64) { return c.memo.lookups() }

// Forget drops what was learned of the requests of one client, or of all clients if who is "".
func (c *Counter) Forget(who string) { c.ratios.forget(who) }

// Adopt takes what another process learned of a model for one client; both processes must have the
// same Options.Hash. It is used until this process has observed enough itself. Implausible values
// are ignored.
func (c *Counter) Adopt(who string, model uint64, ratio float64) {
	if ratio >= minRatio && ratio <= maxRatio {
		c.ratios.adopt(ratioKey{who, model}, ratio)
	}
}

// tablesOf returns the tables that count for a model.
func (c *Counter) tablesOf(model string) *tables {
	c.mu.RLock()
	m := c.models[model]
	c.mu.RUnlock()
	if m != nil {
		return m
	}
	m = resolve(model)
	m.name = c.hash(model)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.models[model]; known != nil {
		return known
	}
	if len(model) > maxModelName {
		return m
	}
	for old := range c.models { // a random one: if it is used again, it is resolved again
		if len(c.models) < maxModels {
			break
		}
		delete(c.models, old)
	}
	c.models[strings.Clone(model)] = m
	return m
}

func resolve(model string) *tables {
	encoding, published := encodingFor(model)
	m := &tables{
		encoding: sync.OnceValue(func() *bpe.Encoding { return mustLoad(encoding) }),
		images:   imageRuleFor(model),
		format:   &chatML,
		bounds:   &unpublishedBounds,
	}
	switch {
	case published:
		m.bounds = &publishedBounds
	default:
		if m.generation = generationOf(model); m.generation != nil {
			m.bounds = &estimatedBounds
		}
	}
	if encoding == bpe.O200kHarmony {
		m.format = &harmony
	}
	m.profile = profileHash(encoding, m.images)
	return m
}
