package wire

import (
	"context"
	"errors"
	"time"

	"killick/cache"
	"killick/compactor/checkpoint"
	"killick/compactor/report"
	"killick/proxy/stored"
	"killick/series"
	"killick/view"
)

// storeTimeout bounds the writes of a request whose client has disconnected: the work is done, and
// the next turn needs it.
const storeTimeout = 5 * time.Second

// checkpoints implements [checkpoint.Store].
type checkpoints struct {
	originals
	policy string
}

func (c *checkpoints) Conversation(
	who string,
	msgs []view.Message,
	memory *view.Memory,
) checkpoint.Conversation {
	first := c.start(who, msgs, memory)
	return &conversation{
		checkpoints: c, stored: c.store.Conversation(who, first), who: who, msgs: msgs,
		first: first, memory: memory,
	}
}

// start returns the keys up to the first message.
func (c *checkpoints) start(who string, msgs []view.Message, memory *view.Memory) []cache.Key {
	n := min(1, len(msgs))
	kept, known := memory.Load(chainKey{c.policy})
	if keys, _ := kept.(series.Of[cache.Key]); keys.Len() > n && known >= n {
		return keys.Items()[:n+1]
	}
	return c.secret.Chain(c.scope(who), msgs[:n])
}

func (c *checkpoints) scope(who string) cache.Scope {
	return cache.Scope{Who: who, Upstream: c.upstream, Policy: c.policy}
}

// keys returns the store's keys of all prefixes of a conversation. The memory has those of messages
// that were seen before.
func (c *checkpoints) keys(who string, msgs []view.Message, memory *view.Memory) []cache.Key {
	scope := c.scope(who)
	if memory == nil {
		return c.secret.Chain(scope, msgs)
	}
	kept, n := memory.Load(digestsKey{})
	digests, _ := kept.(series.Of[cache.Digest])
	if n < len(msgs) || digests.Len() != n {
		digests = series.New(cache.Digests(digests.Grow(min(n, digests.Len())), msgs[n:]))
		memory.Store(digestsKey{}, digests, len(msgs), int64(len(cache.Digest{})*digests.Cap()))
	}
	chain := chainKey{c.policy}
	kept, n = memory.Load(chain)
	keys, _ := kept.(series.Of[cache.Key])
	if keys.Len() == 0 {
		n = -1
	}
	if n < len(msgs) || keys.Len() != n+1 {
		keys = series.New(c.secret.Extend(scope, keys.Grow(n+1), digests.Items()))
		memory.Store(chain, keys, len(msgs), int64(len(cache.Key{})*keys.Cap()))
	}
	return keys.Items()
}

// The keys under which a view.Memory holds them.
type (
	digestsKey struct{}
	chainKey   struct{ policy string }
	foundKey   struct{ policy string }
)

// prepared returns the part of the store for what is prepared but not in use yet.
func (c *checkpoints) prepared() *checkpoints {
	apart := *c
	apart.policy += ";prepared"
	return &apart
}

// conversation implements [checkpoint.Conversation]. It must be used by one goroutine.
type conversation struct {
	*checkpoints
	stored StoredConversation
	who    string
	msgs   []view.Message
	first  []cache.Key // of the prefixes up to the first message
	keys   []cache.Key // of all prefixes; see chain
	memory *view.Memory
}

// chain returns the keys of all prefixes. They are computed when more than the first message is
// needed.
func (c *conversation) chain() []cache.Key {
	if c.keys == nil {
		c.keys, c.msgs = c.checkpoints.keys(c.who, c.msgs, c.memory), nil
		c.stored.Extend(c.keys)
	}
	return c.keys
}

// Longest implements [checkpoint.Conversation]. It remembers what it found at the previous turn,
// since usually the same is found again.
func (c *conversation) Longest(ctx context.Context, most int) ([]byte, int, bool, error) {
	chain, key := c.chain(), foundKey{c.policy}
	kept, _ := c.memory.Load(key)
	before, _ := kept.(*cache.Found)
	found, renewed, err := c.stored.Find(ctx, most, before)
	if found == nil {
		return nil, -1, false, err
	}
	if found != before && most == len(chain)-1 {
		c.memory.Store(key, found, found.Index, int64(len(found.Value)))
	}
	return found.Value, found.Index, renewed, nil
}

// Put implements [checkpoint.Conversation]. The next turn does not read again what it stored.
func (c *conversation) Put(
	ctx context.Context, covers, replaced int, value []byte,
) ([]byte, error) {
	c.chain()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	stored, err := c.stored.Replace(ctx, covers, replaced, value)
	if stored == nil {
		return nil, err
	}
	if err == nil {
		c.memory.Store(foundKey{c.policy}, stored, stored.Index, int64(len(stored.Value)))
	}
	return stored.Value, err
}

func (c *conversation) LastSeen() checkpoint.LastSeen { return lastSeen{c.stored} }

// lastSeen implements [checkpoint.LastSeen].
type lastSeen struct{ stored StoredConversation }

func (s lastSeen) Get(ctx context.Context) ([]byte, error) { return s.stored.LastSeen(ctx) }

func (s lastSeen) Put(ctx context.Context, value []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	return s.stored.PutLastSeen(ctx, value)
}

func (c *conversation) Name(covers int) string {
	keys := c.first
	if covers >= len(keys) {
		keys = c.chain()
	}
	return string(keys[covers][:])
}

// Place returns the key of the prefix followed by that of the first message.
func (c *conversation) Place(covers int) string {
	return c.Name(covers) + c.Name(min(1, len(c.chain())-1))
}

func (c *conversation) Ref(content []byte) string { return c.secret.Ref(c.who, content) }

func (c *conversation) Keep(ctx context.Context, list []checkpoint.Original) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	originals := make([]cache.Original, len(list))
	for i, o := range list {
		originals[i] = cache.Original{Ref: c.scoped(o.Ref), Content: o.Content}
	}
	return c.stored.PutOriginals(ctx, originals)
}

// originals implements [stored.Originals] and [stored.Summaries].
type originals struct {
	store    Store
	secret   cache.Secret
	upstream string
}

func (o originals) Original(ctx context.Context, who, ref string) ([]byte, error) {
	content, err := o.store.Original(ctx, who, o.scoped(ref))
	if errors.Is(err, cache.ErrNotFound) {
		return nil, stored.ErrNoOriginal
	}
	if _, points := report.PointsTo(content); points && err == nil {
		return o.Summary(ctx, who, ref, false)
	}
	return content, err
}

// Summary implements [stored.Summaries]. A ref of something else than a summary, such as an output,
// counts as unknown.
func (o originals) Summary(ctx context.Context, who, ref string, markdown bool) ([]byte, error) {
	r, err := o.report(ctx, who, ref)
	switch {
	case errors.Is(err, cache.ErrNotFound):
		return nil, stored.ErrNoOriginal
	case err != nil:
		return nil, err
	case markdown:
		return r.Markdown(), nil
	}
	return r.JSON()
}

// report returns the report that a ref points to.
func (o originals) report(ctx context.Context, who, ref string) (*report.Report, error) {
	stored, err := o.store.Original(ctx, who, o.scoped(ref))
	if err != nil {
		return nil, err
	}
	place, ok := report.PointsTo(stored)
	key, first, ok2 := placeOf(place)
	if !ok || !ok2 {
		return nil, cache.ErrNotFound
	}
	value, err := o.store.Checkpoint(ctx, who, key, first)
	if err != nil {
		return nil, err
	}
	cp, err := checkpoint.Read(value)
	if err != nil {
		return nil, err
	}
	return report.Of(cp)
}

// placeOf decodes a result of [conversation.Place]. Earlier versions stored the key of the prefix
// alone.
func placeOf(place string) (key, first cache.Key, ok bool) {
	switch copy(key[:], place); len(place) {
	case len(key):
		return key, key, true
	case 2 * len(key):
		return key, cache.Key([]byte(place[len(key):])), true
	}
	return key, first, false
}

// scoped returns the ref for this upstream. At another upstream, the same API key may belong to
// another client.
func (o originals) scoped(ref string) string { return o.secret.Who(ref, o.upstream) }
