package shared

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"killick/cache"
	"killick/internal/packed"
)

// Replicas send each other events in a stream, which each reads from its last position: deletions,
// and facts. Events are sealed like values, and are kept as long as what they are about.

// Kind is what an event is about.
type Kind byte

// The kinds of events.
const (
	ForgetConversation Kind = iota + 1
	ForgetOwner
	ForgetAll
	Fact // defined by the caller
)

// Event is what a replica announced.
type Event struct {
	Kind Kind
	Who  string // the owner, for all kinds except ForgetAll

	Keys []cache.Key // of a deleted conversation
	Refs []string    // of its originals

	Topic string // of a fact
	Value []byte
}

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

// apply executes an event.
func (s *Store) apply(ctx context.Context, message *redis.XMessage) {
	e, from, ok := s.read(message)
	if !ok || from == s.id {
		return
	}
	defer s.client.count.received.Add(1)
	if e.Kind != Fact && s.Ending != nil {
		s.Ending(ctx, e)
	}
	var err error
	if e.Kind == ForgetConversation && s.Named != nil {
		err = s.forgetNamed(ctx, &e)
	}
	if e.Kind != Fact {
		s.forgetQueued(&e)
	}
	switch e.Kind {
	case ForgetConversation:
		s.known.InvalidateAll()
		_, err2 := s.near.Forget(ctx, e.Keys, e.Who, e.Refs)
		err = errors.Join(err, err2)
	case ForgetOwner:
		s.known.InvalidateAll()
		_, err = s.near.ForgetOwner(ctx, e.Who)
	case ForgetAll:
		s.known.InvalidateAll()
		_, err = s.near.ForgetAll(ctx)
	}
	if err != nil {
		s.client.log.Error("what another replica has deleted is still stored by this one",
			"cause", err.Error())
	}
	s.received(e)
}

// forgetNamed adds to an event what only this replica knows to belong to the conversation, and
// removes that from the shared store.
func (s *Store) forgetNamed(ctx context.Context, e *Event) error {
	more := s.Named(ctx, *e)
	e.Refs = append(e.Refs, more...)
	names := make([]string, len(more))
	for i, ref := range more {
		names[i] = originalName(e.Who, ref)
	}
	_, err := s.remove(ctx, names)
	return err
}

// forgetQueued drops this replica's pending writes of what was deleted, including those in
// progress, which would restore it.
func (s *Store) forgetQueued(e *Event) {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	s.queue.drop(e.isAbout())
}

// position is the event that was received last. It is stored locally, so that a restarted replica
// continues there.
type position struct {
	mu   sync.Mutex
	last string
	ms   atomic.Int64 // when the last received event was added, by the store's clock; else 0
}

// positionKey is the local key of the position.
func positionKey() (key cache.Key) {
	copy(key[:], "events of the shared store")
	return key
}

// load starts at the stored position, else as far back as the local store may go.
func (p *position) load(ctx context.Context, near *cache.Store, ttl time.Duration) {
	stored, err := near.LastSeen(ctx, positionKey())
	if p.last = string(stored); err != nil || !validID(p.last) {
		p.last = strconv.FormatInt(time.Now().Add(-ttl).UnixMilli(), 10) + "-0"
	}
}

func (p *position) get() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

func validID(id string) bool {
	ms, n, ok := strings.Cut(id, "-")
	_, err1 := strconv.ParseUint(ms, 10, 64)
	_, err2 := strconv.ParseUint(n, 10, 64)
	return ok && err1 == nil && err2 == nil
}

// listen receives events as they arrive.
func (s *Store) listen(ctx context.Context) {
	const wait = 2 * time.Second
	for ctx.Err() == nil {
		if !s.client.health.isUp() {
			select {
			case <-ctx.Done():
			case <-time.After(shortestPause):
			}
			continue
		}
		// A silently dropped connection is closed soon after.
		bounded, cancel := context.WithTimeout(ctx, wait+s.client.patience)
		err := s.receiveMore(bounded, wait)
		cancel()
		if err != nil && ctx.Err() == nil {
			s.client.note(err, 0)
			time.Sleep(shortestPause)
		}
	}
}

// catchUp receives all events that were announced until now.
func (s *Store) catchUp(ctx context.Context) error {
	const one = 1
	if err := s.recall(ctx); err != nil {
		return err
	}
	newest, err := s.client.redis.XRevRangeN(ctx, eventsName, "+", "-", one).Result()
	if err != nil {
		return err
	}
	s.position.mu.Lock()
	if len(newest) == 0 || before(newest[0].ID, s.position.last) {
		// The stream is younger than the position: it was lost and restarted.
		s.position.last = "0-0"
	}
	s.position.mu.Unlock()
	return s.receiveMore(ctx, -1)
}

// before reports whether an event's ID is before another's.
func before(a, b string) bool {
	ms1, n1, _ := strings.Cut(a, "-")
	ms2, n2, _ := strings.Cut(b, "-")
	if ms1 != ms2 {
		return number(ms1) < number(ms2)
	}
	return number(n1) < number(n2)
}

func number(s string) uint64 {
	n, _ := strconv.ParseUint(s, 10, 64)
	return n
}

// receiveMore applies the events after the last one, in order, and waits up to wait for one; if
// negative, it does not wait.
func (s *Store) receiveMore(ctx context.Context, wait time.Duration) error {
	const eventsAtOnce = 100
	for {
		streams, err := s.client.redis.XRead(ctx, &redis.XReadArgs{
			Streams: []string{eventsName, s.position.get()}, Count: eventsAtOnce, Block: wait,
		}).Result()
		if errors.Is(err, redis.Nil) {
			return nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		for i := range streams {
			s.applyAll(ctx, streams[i].Messages)
		}
		if len(streams) == 0 || len(streams[0].Messages) < eventsAtOnce {
			return nil
		}
	}
}

// applyAll applies those events that were not applied yet.
func (s *Store) applyAll(ctx context.Context, messages []redis.XMessage) {
	s.position.mu.Lock()
	defer s.position.mu.Unlock()
	for i := range messages {
		if before(s.position.last, messages[i].ID) {
			s.apply(ctx, &messages[i])
			s.position.last = messages[i].ID
			ms, _, _ := strings.Cut(messages[i].ID, "-")
			s.position.ms.Store(int64(number(ms)))
		}
	}
	if err := s.near.PutLastSeen(ctx, positionKey(), []byte(s.position.last)); err != nil {
		s.client.log.Warn("cannot note which events were received: a restart reads them again",
			"cause", err.Error())
	}
}
