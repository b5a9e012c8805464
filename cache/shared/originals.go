package shared

import (
	"context"
	"errors"
	"slices"

	"github.com/redis/go-redis/v9"

	"killick/cache"
)

// PutOriginals stores originals in both stores; asynchronously in the shared one.
func (c *Conversation) PutOriginals(ctx context.Context, list []cache.Original) error {
	s := c.store
	for _, o := range list {
		if len(o.Content) > maxShared {
			s.client.count.dropped.Add(1)
			continue
		}
		name := originalName(c.who, o.Ref)
		record := s.sealer.seal(name, o.Content)
		s.async(c.who, name, len(record), func(ctx context.Context, p redis.Pipeliner) {
			p.Set(ctx, name, record, s.ttl)
		})
	}
	return s.near.PutOriginals(ctx, c.who, list)
}

// maxShared bounds an original in the shared store, before compression: a server answers nobody
// else while it reads one.
const maxShared = 8 << 20

// formNames returns the possible names of the forms of a chain.
func (s *Store) formNames(chain []cache.Key) []string {
	names := make([]string, len(chain))
	for i, key := range chain {
		names[i] = formName(tag(chain), key)
	}
	return names
}

// Checkpoints returns all forms of who under prefixes of a chain, in both stores; with an error,
// those that it could read.
func (s *Store) Checkpoints(
	ctx context.Context, who string, chain []cache.Key,
) (values [][]byte, err error) {
	if values, err = s.near.Checkpoints(ctx, who, chain); err != nil {
		return nil, err
	}
	owner := cache.Owner(who)
	if of, _ := chain[0].Split(); of != owner {
		return values, nil
	}
	for names := range slices.Chunk(s.formNames(chain), maxAtOnce) {
		records, err := s.getAll(ctx, names)
		if err != nil {
			return values, err
		}
		for i, record := range records {
			if record == "" {
				continue
			}
			if value := s.open(names[i], []byte(record)); value != nil {
				values = append(values, value)
			}
		}
	}
	return values, nil
}

// getAll returns the records of names in one round trip, "" for those that are absent or not
// strings.
func (s *Store) getAll(ctx context.Context, names []string) ([]string, error) {
	reply := make([]*redis.StringCmd, len(names))
	err := s.client.do(ctx, s.client.longTimeout, func(ctx context.Context) error {
		_, err := s.client.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, name := range names {
				reply[i] = getUpTo(ctx, p, name, s.client.maxRecord)
			}
			return nil
		})
		return err
	})
	if err != nil && kindOf(err) != refused {
		return nil, err
	}
	records := make([]string, len(names))
	for i, cmd := range reply {
		records[i] = cmd.Val()
	}
	return records, nil
}

// Checkpoint returns the form of who under a key, whose conversation has a first key, or
// [cache.ErrNotFound].
func (s *Store) Checkpoint(ctx context.Context, who string, key, first cache.Key) ([]byte, error) {
	value, err := s.near.Checkpoint(ctx, who, key)
	if owner, _ := key.Split(); !errors.Is(err, cache.ErrNotFound) || owner != cache.Owner(who) {
		return value, err
	}
	return s.get(ctx, formName(tagOf(first), key))
}

// Original returns what was kept under a ref for the same who, by any replica, or
// [cache.ErrNotFound].
func (s *Store) Original(ctx context.Context, who, ref string) ([]byte, error) {
	value, err := s.near.Original(ctx, who, ref)
	if !errors.Is(err, cache.ErrNotFound) {
		return value, err
	}
	return s.get(ctx, originalName(who, ref))
}

// get returns the value of a name. Its callers have no alternative, so they wait longer than chat
// requests do.
func (s *Store) get(ctx context.Context, name string) ([]byte, error) {
	var record []byte
	err := s.client.do(ctx, s.client.longTimeout, func(ctx context.Context) (err error) {
		record, err = getUpTo(ctx, s.client.redis, name, s.client.maxRecord).Bytes()
		return err
	})
	switch {
	case err != nil && kindOf(err) != refused:
		return nil, err
	case len(record) == 0: // or it is not a string
		return nil, cache.ErrNotFound
	}
	if value := s.open(name, record); value != nil {
		return value, nil
	}
	return nil, cache.ErrNotFound
}
