package conversations

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"killick/cache"
	"killick/cache/shared"
)

// conversation is one conversation in both stores.
type conversation interface {
	LastSeen(ctx context.Context) ([]byte, error)
	PutLastSeen(ctx context.Context, value []byte) error
	Find(ctx context.Context, most int, before *cache.Found) (*cache.Found, bool, error)
	Replace(ctx context.Context, index, replaced int, value []byte) (*cache.Found, error)
	PutOriginals(ctx context.Context, list []cache.Original) error
}

// replica is one process's view of the stores.
type replica struct {
	secret       cache.Secret
	conversation func(who string, keys []cache.Key) conversation
	stats        func() shared.Stats
	flush        func(context.Context) // writes what is queued
	close        func() error
}

// timeout is how long a request waits here. Requests over the default time-out are counted.
const timeout = 10 * time.Second

// newReplica returns a replica that shares a store and has its own store in memory.
func newReplica(ctx context.Context, url string) (*replica, error) {
	client, err := shared.Dial(shared.Options{URL: url, Timeout: timeout,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	text, _, err := client.Agree(ctx, shared.Secret{})
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	r := &replica{secret: cache.SecretOf(text)}
	near, err := cache.Open(cache.Options{InMemory: true, Secret: r.secret})
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	store := client.Open(shared.Config{Near: near, Secret: r.secret, TTL: cache.DefaultTTL,
		Own: shared.Secret{Text: text}})
	store.Start(nil)
	r.conversation = func(who string, keys []cache.Key) conversation {
		return store.Conversation(who, keys)
	}
	r.stats, r.flush = store.Stats, store.Flush
	r.close = func() error { return errors.Join(store.Close(), near.Close()) }
	return r, nil
}

// newOwn returns a process that shares nothing and has everything in its store on disk.
func newOwn(dir string) (*replica, error) {
	const maxBytes = 32 << 30
	r := &replica{secret: cache.NewSecret()}
	store, err := cache.Open(cache.Options{Dir: dir, Secret: r.secret, MaxBytes: maxBytes,
		Timeout: time.Minute})
	if err != nil {
		return nil, err
	}
	r.conversation = func(who string, keys []cache.Key) conversation {
		return store.Conversation(who, keys)
	}
	r.stats = func() shared.Stats { return shared.Stats{} }
	r.flush, r.close = func(context.Context) {}, store.Close
	return r, nil
}

// clients is how many clients the conversations belong to.
const clients = 1000

// request is a request of a conversation, with this many messages.
type request struct {
	number, messages int

	form      *size // that it makes, if any, which covers all but the last of the messages
	originals []size
	writes    bool // it writes without a look-up before

	took time.Duration // once it has run, from when its keys were known
}

// run makes the calls of a request at a replica, and reports whether a form was found.
func (q *request) run(ctx context.Context, r *replica) (found bool, err error) {
	who := fmt.Sprint("client ", q.number%clients)
	digests := make([]cache.Digest, q.messages)
	for i := range digests {
		binary.BigEndian.PutUint64(digests[i][:], uint64(q.number))
		binary.BigEndian.PutUint64(digests[i][8:], uint64(i))
	}
	keys := r.secret.Extend(cache.Scope{Who: who, Upstream: "u", Policy: "p"}, nil, digests)
	began := time.Now()
	defer func() { q.took = time.Since(began) }()
	c := r.conversation(who, keys)
	replaced := -1
	if !q.writes {
		if _, err := c.LastSeen(ctx); err != nil {
			return false, fmt.Errorf("reading when a conversation was seen: %w", err)
		}
		f, _, err := c.Find(ctx, q.messages, nil)
		if err != nil {
			return false, fmt.Errorf("looking for a form: %w", err)
		}
		if found = f != nil; found {
			replaced = f.Index
		}
	} else if before := q.messages - messagesOfForm; before > 0 {
		replaced = before - 1
	}
	if q.form != nil {
		if err := q.keep(ctx, r, c, replaced); err != nil {
			return found, err
		}
	}
	return found, c.PutLastSeen(ctx, make([]byte, lastSeenBytes))
}

// keep stores the form and the originals.
func (q *request) keep(ctx context.Context, r *replica, c conversation, replaced int) error {
	list := make([]cache.Original, len(q.originals))
	for i, o := range q.originals {
		name := fmt.Sprint(q.number, " ", q.messages, " ", i)
		list[i] = cache.Original{Ref: r.secret.Who(name, "u"),
			Content: o.value(q.number*31 + q.messages + i)}
	}
	if err := c.PutOriginals(ctx, list); err != nil {
		return fmt.Errorf("keeping originals: %w", err)
	}
	_, err := c.Replace(ctx, q.messages-1, replaced, q.form.value(q.number+q.messages))
	if err != nil {
		return fmt.Errorf("keeping a form: %w", err)
	}
	return nil
}
