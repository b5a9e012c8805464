package shared

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"killick/cache"
)

// Deletion removes records from the shared store and this replica's local store, and has every
// other replica remove them from its local store. Others are notified first, so that none of them
// publishes what was just removed; one that is down is notified when it is back.

// forgetTimeout bounds a removal, which may scan all names.
const forgetTimeout = time.Minute

// Forget removes conversations of who, by the chains of their keys, and originals of who by their
// refs. It returns how many records this replica and the shared store held.
func (s *Store) Forget(
	ctx context.Context, who string, chains [][]cache.Key, refs []string,
) (int, error) {
	var names []string
	for _, chain := range chains {
		t := tag(chain)
		names = append(append(names, s.formNames(chain)...), stampName(t), lastSeenName(t))
		s.known.Invalidate(t)
	}
	for _, ref := range refs {
		names = append(names, originalName(who, ref))
	}
	event := Event{Kind: ForgetConversation, Who: who, Keys: slices.Concat(chains...), Refs: refs}
	near, err := s.near.Forget(ctx, event.Keys, who, refs)
	if err != nil {
		return near, err
	}
	n, err := s.forget(ctx, event, func(ctx context.Context) (int, error) {
		return s.remove(ctx, names)
	})
	return near + n, err
}

// ForgetOwner removes everything stored for who.
func (s *Store) ForgetOwner(ctx context.Context, who string) (int, error) {
	near, err := s.near.ForgetOwner(ctx, who)
	if err != nil {
		return near, err
	}
	n, err := s.forget(ctx, Event{Kind: ForgetOwner, Who: who},
		func(ctx context.Context) (int, error) { return s.removeMatching(ctx, ownedPattern(who)) })
	return near + n, err
}

// ForgetAll removes everything except what replicas agreed on.
func (s *Store) ForgetAll(ctx context.Context) (int, error) {
	near, err := s.near.ForgetAll(ctx)
	if err != nil {
		return near, err
	}
	n, err := s.forget(ctx, Event{Kind: ForgetAll},
		func(ctx context.Context) (int, error) { return s.removeMatching(ctx, allPattern) })
	return near + n, err
}

// forget announces an event, and removes.
func (s *Store) forget(
	ctx context.Context, event Event, remove func(context.Context) (int, error),
) (n int, err error) {
	s.known.InvalidateAll()
	s.flushing.Lock() // what is removed must not be written afterwards
	defer s.flushing.Unlock()
	for s.flushLocked(ctx) {
	}
	s.queue.drop(event.isAbout())
	err = s.client.do(ctx, forgetTimeout, func(ctx context.Context) (err error) {
		if err = s.announce(ctx, event); err == nil {
			n, err = remove(ctx)
		}
		return err
	})
	if err != nil {
		return n, fmt.Errorf("this replica has deleted it; the shared store, and so other "+
			"replicas, may not have: try again: %w", err)
	}
	return n, nil
}

// removeMatching removes what is under the names that match a pattern, on every node.
func (s *Store) removeMatching(ctx context.Context, pattern string) (n int, err error) {
	var mu sync.Mutex
	walk := func(ctx context.Context, node redis.UniversalClient) error {
		const namesAtOnce = 1000
		for cursor := uint64(0); ; {
			names, next, err := node.Scan(ctx, cursor, pattern, namesAtOnce).Result()
			if err != nil {
				return err
			}
			removed, err := s.remove(ctx, names)
			mu.Lock()
			n += removed
			mu.Unlock()
			if err != nil || next == 0 {
				return err
			}
			cursor = next
		}
	}
	if cluster, ok := s.client.redis.(*redis.ClusterClient); ok {
		err = cluster.ForEachMaster(ctx, func(ctx context.Context, node *redis.Client) error {
			return walk(ctx, node)
		})
		return n, err
	}
	return n, walk(ctx, s.client.redis)
}
