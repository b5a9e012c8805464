package tokenizer

import (
	"errors"
	"hash/maphash"
	"log/slog"
	"math"
	"strings"
	"sync"

	"killick/tokenizer/bpe"
	"killick/view"
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
	return Model{tables: c.tablesOf(model), counter: c, client: clientOf(who)}
}

// Lookups returns how many counts were found in memory, and how many had to be made.
func (c *Counter) Lookups() (found, missed uint64) { return c.memo.lookups() }

// Forget drops what was learned of the requests of one client, or of all clients if who is "".
func (c *Counter) Forget(who string) { c.ratios.forget(who) }

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

// Message returns the tokens that msg takes in a request: its frame, name, content and calls.
func (m Model) Message(msg *view.Message) int { return m.measure(msg).tokens }

// Estimated returns how many of the tokens of msg are an estimate: those of parts that are not
// text, or are encrypted.
func (m Model) Estimated(msg *view.Message) int { return m.measure(msg).estimated }

// measure counts a message, unless it was counted before.
func (m Model) measure(msg *view.Message) measured {
	key := memoKey(msg.Fingerprint())
	key[0] ^= m.profile
	// The same bytes may be read as different messages.
	key[1] ^= maphash.String(memoSeeds[0], msg.Format().Name())
	key = m.client.mix(key)
	if v, ok := m.counter.memo.get(key); ok {
		return measured{tokens: int(v >> 32), estimated: int(v & math.MaxUint32)}
	}
	n := m.countMessage(msg)
	m.counter.memo.put(key, uint64(n.tokens)<<32|uint64(n.estimated))
	return n
}

// Breakdown has the tokens of a request by its parts.
type Breakdown struct {
	Total    int
	Messages []int // of each message, in order
	Tools    int   // the definitions of tools and functions
	Overhead int   // the rest: what primes the reply, a response format, a forced choice of tool
}

// Request counts a request.
func (m Model) Request(req *view.Request) Breakdown {
	msgs, x := req.Messages(), extrasOf(req)
	b := Breakdown{
		Messages: make([]int, len(msgs)),
		Tools:    m.tools(x),
		Overhead: m.frame(x),
	}
	b.Total = b.Tools + b.Overhead
	for i := range msgs {
		b.Messages[i] = m.Message(&msgs[i])
		b.Total += b.Messages[i]
	}
	return b
}

// Overhead returns the tokens of a request outside its messages.
func (m Model) Overhead(req *view.Request) int {
	x := extrasOf(req)
	return m.tools(x) + m.frame(x)
}

// mustLoad loads one of the encodings that this package names; they are embedded.
func mustLoad(name string) *bpe.Encoding {
	e, err := bpe.Load(name)
	if err != nil {
		panic(err)
	}
	return e
}

// Prepare builds and checks the encodings of models, each once per process, and returns when that
// is done (see [bpe.Prepare]). The error reports encodings that fail their check. They still count
// correctly, but slowly.
func Prepare(models ...string) error {
	var errs []error
	for _, model := range models {
		name, _ := encodingFor(model)
		errs = append(errs, bpe.Prepare(name))
	}
	return errors.Join(errs...)
}

// Warm prepares the encoding of a model in the background. It returns immediately; the channel is
// closed when that is done. A failed check is logged.
func Warm(model string) <-chan struct{} {
	name, _ := encodingFor(model)
	w, _ := warming.LoadOrStore(name, sync.OnceValue(func() <-chan struct{} {
		done := make(chan struct{})
		go func() {
			defer close(done)
			if err := bpe.Prepare(name); err != nil {
				slog.Error("token counter failed its self-check", "encoding", name, "error", err)
			}
		}()
		return done
	}))
	return w.(func() <-chan struct{})()
}

// warming has the preparations that Warm has started, by the name of the encoding.
var warming sync.Map
