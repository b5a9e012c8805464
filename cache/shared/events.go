package shared

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

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
		s.client.log.Error("data that another replica deleted is still stored by this one",
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
		bounded, cancel := context.WithTimeout(ctx, wait+s.client.longTimeout)
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
