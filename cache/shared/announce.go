package shared

import (
	"context"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"killick/cache"
	"killick/packed"
)

// Announce sends other replicas a fact, asynchronously.
func (s *Store) Announce(who, topic string, value []byte) {
	record := s.sealed(Event{Kind: Fact, Who: who, Topic: topic, Value: value})
	s.async(who, "", len(record), func(ctx context.Context, p redis.Pipeliner) {
		s.add(ctx, p, record)
	})
}

// announce sends other replicas an event synchronously.
func (s *Store) announce(ctx context.Context, e Event) error {
	return s.add(ctx, s.client.redis, s.sealed(e)).Err()
}

// add removes events that are a time to live older than the last one received. Both times are the
// store's: by a replica's own clock, which may be wrong, deletions could be removed that others
// have not yet received.
func (s *Store) add(ctx context.Context, to redis.Cmdable, record []byte) *redis.StringCmd {
	oldest := max(s.position.ms.Load()-s.ttl.Milliseconds(), 0)
	return to.XAdd(ctx, &redis.XAddArgs{Stream: eventsName,
		MinID: strconv.FormatInt(oldest, 10), Approx: true, Values: []any{eventField, record}})
}

const eventField = "e"

func (s *Store) sealed(e Event) []byte {
	var w packed.Writer
	w.Text(s.id)
	w.Byte(byte(e.Kind))
	w.Text(e.Who)
	w.Len(len(e.Keys), false)
	for _, key := range e.Keys {
		w.Bytes(key[:])
	}
	w.Len(len(e.Refs), false)
	for _, ref := range e.Refs {
		w.Text(ref)
	}
	w.Text(e.Topic)
	w.Bytes(e.Value)
	return s.sealer.seal(eventsName, w)
}

// read decodes an event and the replica that announced it.
func (s *Store) read(message *redis.XMessage) (e Event, from string, ok bool) {
	record, _ := message.Values[eventField].(string)
	value, err := s.sealer.open(eventsName, []byte(record))
	if err != nil {
		s.client.count.unsealed.Add(1)
		return Event{}, "", false
	}
	r := packed.NewReader(value)
	from = r.Text()
	e.Kind, e.Who = Kind(r.Byte()), r.Text()
	e.Keys = packed.List(r, func(r *packed.Reader) (key cache.Key) {
		copy(key[:], r.Bytes())
		return key
	})
	e.Refs = packed.List(r, (*packed.Reader).Text)
	e.Topic, e.Value = r.Text(), r.Bytes()
	owner := cache.Owner(e.Who)
	e.Keys = slices.DeleteFunc(e.Keys, func(key cache.Key) bool {
		of, _ := key.Split()
		return of != owner // an event of one client only concerns its own records
	})
	return e, from, r.End() == nil
}
