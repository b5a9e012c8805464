package shared

import (
	"bytes"
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"killick/cache"
)

// Conversation is the view of a Store for one request. In total it waits for the shared store no
// longer than the time-out. It must be used by one goroutine.
type Conversation struct {
	store *Store
	who   string
	keys  []cache.Key
	tag   string

	wait     time.Duration // the rest of the time-out
	looked   bool
	there    bool   // the shared store answered
	stamp    string // "" for none
	lastSeen []byte
}

// Conversation returns the view of a conversation of who with a chain of keys.
func (s *Store) Conversation(who string, keys []cache.Key) *Conversation {
	return &Conversation{store: s, who: who, keys: keys, tag: tag(keys), wait: s.client.timeout}
}

// Extend sets the keys of all prefixes, if Conversation was only given those up to the first
// message.
func (c *Conversation) Extend(keys []cache.Key) { c.keys = keys }

// do runs commands within what is left of the request's time-out.
func (c *Conversation) do(ctx context.Context, commands func(context.Context) error) error {
	began := time.Now()
	err := c.store.client.doWithin(ctx, c.wait, commands)
	took := time.Since(began)
	c.wait -= took
	c.store.client.count.waited(took)
	return err
}

// look asks for the stamp of the conversation and when it was last seen, once. It reports whether
// the shared store answered.
func (c *Conversation) look(ctx context.Context) bool {
	if c.looked {
		return c.there
	}
	c.looked = true
	var stamp, lastSeen *redis.StringCmd
	err := c.do(ctx, func(ctx context.Context) error {
		_, err := c.store.client.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			stamp = getUpTo(ctx, p, stampName(c.tag), maxStampBytes)
			lastSeen = getUpTo(ctx, p, lastSeenName(c.tag), maxSmallBytes)
			return nil
		})
		return err
	})
	if err != nil && kindOf(err) != refused { // a value that is not a string counts as absent
		return false
	}
	c.there = true
	c.stamp = stamp.Val()
	if record := lastSeen.Val(); record != "" {
		c.lastSeen = c.store.open(lastSeenName(c.tag), []byte(record))
	}
	return true
}

// Find returns the form of the longest prefix of at most so many messages that has one, as
// [cache.Store.Find] does. Newer forms of other replicas are fetched and stored locally.
func (c *Conversation) Find(
	ctx context.Context, most int, before *cache.Found,
) (*cache.Found, bool, error) {
	s, keys := c.store, c.keys[:most+1]
	near, renewed, err := s.near.Find(ctx, keys, before)
	if renewed {
		s.touch(formName(c.tag, keys[near.Index]))
		s.touch(stampName(c.tag))
	}
	from, replaced := 0, -1
	if near != nil {
		from, replaced = near.Index, near.Index
	}
	if !c.look(ctx) || c.knows(most, replaced) {
		return near, renewed, err
	}
	got, err2 := c.newest(ctx, keys, from)
	switch {
	case err2 != nil:
		return near, renewed, err
	case got.index < 0 && near == nil:
	case got.index < 0:
		c.publish(near)
		renewed = true
	case near == nil || got.index != near.Index || !bytes.Equal(got.value, near.Value):
		near, err = c.adopt(ctx, keys, replaced, got), nil
		renewed = got.left < s.ttl/2 // the local copy has a full time to live
		if renewed {
			s.touch(formName(c.tag, keys[got.index]))
			s.touch(stampName(c.tag))
		}
	}
	index := -1
	if near != nil {
		index = near.Index
	}
	c.note(c.stamp, most, index)
	return near, renewed, err
}

// adopt stores a form of another replica locally, replacing the one at an index, and returns it. If
// the local store fails, the form is fetched again next time.
func (c *Conversation) adopt(
	ctx context.Context, keys []cache.Key, replaced int, got form,
) *cache.Found {
	c.store.client.count.adopted.Add(1)
	if c.store.near.Adopt(ctx, keys, got.index, replaced, got.value) == nil {
		if near, _, err := c.store.near.Find(ctx, keys, nil); err == nil && near != nil {
			return near
		}
	}
	return &cache.Found{Value: got.value, Index: got.index}
}

// knows reports whether nothing that a prefix of at most this many messages could find was written
// since this replica last looked, and what it found then is still stored locally: a full local
// store may have evicted it. near is the index of the local form, -1 for none.
func (c *Conversation) knows(most, near int) bool {
	k, ok := c.store.known.GetIfPresent(c.tag)
	if ok && k.stamp != "" && c.stamp == "" {
		c.store.client.health.lost()
	}
	return ok && near >= k.index && k.stamp == c.stamp && k.length <= most &&
		c.keys[k.length] == k.last &&
		(k.length == most || covers(c.stamp) <= k.length)
}

// note records that there was no newer form than the one at an index, which was found for a prefix
// with this stamp.
func (c *Conversation) note(stamp string, length, index int) {
	c.store.known.Set(c.tag, known{stamp, length, c.keys[length], index})
}

// form is a form that was found in the shared store.
type form struct {
	index int // in the chain; -1 for none
	value []byte
	left  time.Duration // its remaining time to live
}

// maxNames bounds how many names one command asks for: each costs both sides 2 µs. It is how far
// back from the longest form a form of another branch is searched, and how far from the end if the
// stamp was lost.
const maxNames = 512

// newest returns the form of the longest prefix between from and the end of a chain, in one round
// trip. An unreadable one is skipped, which takes another round trip.
func (c *Conversation) newest(ctx context.Context, keys []cache.Key, from int) (form, error) {
	to := len(keys)
	if longest := covers(c.stamp); longest > 0 { // no form covers more
		to = min(to, longest+1)
	}
	from = max(from, to-maxNames)
	names := make([]string, 0, max(to-from, 0))
	for i := to - 1; i >= from; i-- {
		names = append(names, formName(c.tag, keys[i]))
	}
	for len(names) > 0 {
		var got found
		err := c.do(ctx, func(ctx context.Context) (err error) {
			got, err = c.store.client.newest(ctx, names)
			return err
		})
		if err != nil {
			return form{}, err
		}
		if got.index < 0 {
			break
		}
		if value := c.store.open(names[got.index], got.record); value != nil {
			return form{from + len(names) - 1 - got.index, value, got.left}, nil
		}
		names = names[got.index+1:]
	}
	return form{index: -1}, nil
}

// publish asynchronously writes a form that only this replica has.
func (c *Conversation) publish(f *cache.Found) {
	a := c.arguments(f.Index, -1, f.Value)
	c.store.async(c.who, a.form, len(a.record), func(ctx context.Context, p redis.Pipeliner) {
		claim.Eval(ctx, p, a.keys(), a.values(c.store.client.maxRecord)...)
	})
	c.store.client.count.published.Add(1)
}

func (c *Conversation) arguments(index, replaced int, value []byte) *claimArguments {
	a := &claimArguments{
		form: formName(c.tag, c.keys[index]), stamp: stampName(c.tag),
		newStamp: newStamp(), covers: index, ttl: c.store.ttl,
	}
	if replaced >= 0 && replaced != index {
		a.replaced = formName(c.tag, c.keys[replaced])
	}
	a.record = c.store.sealer.seal(a.form, value)
	return a
}

// Replace stores a form in both stores, like [cache.Store.Replace]. It returns the form of the
// replica that was first.
func (c *Conversation) Replace(
	ctx context.Context, index, replaced int, value []byte,
) (*cache.Found, error) {
	s := c.store
	a := c.arguments(index, replaced, value)
	var got claimed
	err := c.do(ctx, func(ctx context.Context) (err error) {
		got, err = s.client.claim(ctx, a)
		return err
	})
	if err != nil {
		// It is unknown whether it was written: the next request checks, and publishes it if not.
		s.known.Invalidate(c.tag)
		return s.near.Replace(ctx, c.keys, index, replaced, value)
	}
	if got.there == nil {
		if c.there && got.before == c.stamp {
			c.note(stampOf(a.newStamp, max(a.covers, covers(got.before))),
				len(c.keys)-1, index)
		}
		return s.near.Replace(ctx, c.keys, index, replaced, value)
	}
	s.client.count.conflicts.Add(1)
	first := s.open(a.form, got.there)
	if first == nil { // nobody can read it: ours replaces it
		s.async(c.who, a.form, len(a.record), func(ctx context.Context, p redis.Pipeliner) {
			p.Set(ctx, a.form, a.record, s.ttl)
		})
		return s.near.Replace(ctx, c.keys, index, replaced, value)
	}
	stored := &cache.Found{Value: first, Index: index}
	return stored, s.near.Adopt(ctx, c.keys, index, replaced, first)
}

// LastSeen returns what any replica stored last with [Conversation.PutLastSeen], nil if nothing.
func (c *Conversation) LastSeen(ctx context.Context) ([]byte, error) {
	if c.look(ctx) && c.lastSeen != nil {
		return c.lastSeen, nil
	}
	return c.store.near.LastSeen(ctx, c.keys[min(1, len(c.keys)-1)])
}

// PutLastSeen stores when the conversation was seen, asynchronously in the shared store.
func (c *Conversation) PutLastSeen(ctx context.Context, value []byte) error {
	name := lastSeenName(c.tag)
	record := c.store.sealer.seal(name, value)
	c.store.async(c.who, name, len(record), func(ctx context.Context, p redis.Pipeliner) {
		p.Set(ctx, name, record, c.store.ttl)
	})
	return c.store.near.PutLastSeen(ctx, c.keys[min(1, len(c.keys)-1)], value)
}
