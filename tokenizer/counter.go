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
	// Hash identifies models by their names. Processes that tell each other what they learned have
	// the same one; if nil, it is good for this process alone.
	Hash func(model string) uint64
}

// maxModels bounds the model names that a Counter remembers, and maxModelName their length in
// bytes: they come from clients. Longer ones are resolved anew each time.
const (
	maxModels    = 1024
	maxModelName = 256
)

// Counter counts requests. It owns what is remembered between requests, within
// fixed bounds, and is safe for concurrent use.
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

// ForClient returns the view of one model for the requests of one client, who is its keyed hash.
// What is remembered and learned of them says nothing to another client, by its value or by the
// time that it saves. It is cheap: the model's encoding is built when something is first counted
// with it, or by [Warm].
func (c *Counter) ForClient(who, model string) Model {
	return Model{tables: c.tablesOf(model), counter: c, client: clientOf(who)}
}

// Lookups returns how many counts were found in memory, and how many had to be made.
func (c *Counter) Lookups() (found, missed uint64) { return c.memo.lookups() }

// Forget drops what was learned of the requests of one client, for an empty who of all.
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
	for old := range c.models { // in random order: whoever is used comes back
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

// Model counts for one model and one client. It is safe for concurrent use; the requests and
// messages given to it are not. Two of the same counter, model and client are equal.
type Model struct {
	*tables
	counter *Counter
	client  client
}

// client is whose requests are counted.
type client struct {
	who  string
	salt memoKey // of what is remembered of them
}

func clientOf(who string) client {
	return client{who, memoKey{
		maphash.String(memoSeeds[0], who), maphash.String(memoSeeds[1], who),
	}}
}

// mix returns the key under which a client's own is remembered.
func (c *client) mix(key memoKey) memoKey {
	return memoKey{key[0] ^ c.salt[0], key[1] ^ c.salt[1]}
}

// tables are what a model is counted with. They hold nothing of any request.
type tables struct {
	name     uint64               // a hash of the model's
	encoding func() *bpe.Encoding // built when it is first counted with
	images   *imageRule
	format   *format
	profile  uint64 // what the count of a message depends on beside its bytes
	bounds   *ratioBounds

	generation *generation // nil: published, or nothing is known of it
}

// Encoding returns the encoding that the model's text is counted in.
func (m *tables) Encoding() *bpe.Encoding { return m.encoding() }

// Text returns the number of tokens of s.
func (m *tables) Text(s string) int { return m.encoding().CountString(s) }

// Message returns the tokens that msg takes in its place in a request: what
// frames it, its name, its content, its calls.
func (m Model) Message(msg *view.Message) int { return m.measure(msg).tokens }

// Estimated returns how many of the tokens of msg are an estimate, since what they stand for is not
// text, or is encrypted.
func (m Model) Estimated(msg *view.Message) int { return m.measure(msg).estimated }

// measured is what is remembered of a message.
type measured struct{ tokens, estimated int }

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

// Breakdown is where the tokens of a request go.
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

// Overhead returns what a request takes beside its messages.
func (m Model) Overhead(req *view.Request) int {
	x := extrasOf(req)
	return m.tools(x) + m.frame(x)
}

// mustLoad loads one of the encodings named in this package, whose ranks are
// compiled in.
func mustLoad(name string) *bpe.Encoding {
	e, err := bpe.Load(name)
	if err != nil {
		panic(err)
	}
	return e
}

// Prepare builds and checks the encodings of the models named, each once in a
// process, and returns when that is done (see [bpe.Prepare]). An encoding that
// fails its check still counts right, but slowly: the error says so.
func Prepare(models ...string) error {
	var errs []error
	for _, model := range models {
		name, _ := encodingFor(model)
		errs = append(errs, bpe.Prepare(name))
	}
	return errors.Join(errs...)
}

// Warm prepares the encoding of a model in the background. It returns at once; the
// channel is closed when that is done. A failed check is logged.
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

// warming holds what Warm has begun, by the name of the encoding.
var warming sync.Map
