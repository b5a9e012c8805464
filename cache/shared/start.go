package shared

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/maypok86/otter/v2"

	"killick/cache"
)

// Open returns a Store, which must be started before use. The caller closes it.
func (c *Client) Open(o Config) *Store {
	s := &Store{
		client: c, near: o.Near, sealer: newSealer(o.Secret, c.encryptionKey),
		ttl: cmp.Or(o.TTL, cache.DefaultTTL),
		own: o.Own, id: newStamp(), queue: newQueue(), stop: func() {},
		known: otter.Must(&otter.Options[string, known]{MaximumSize: maxKnown}),
	}
	s.position.load(context.Background(), s.near, s.ttl)
	return s
}

// Start uses the shared store as soon as it answers. received is called with the events of other
// replicas, one at a time; it may be nil.
func (s *Store) Start(received func(Event)) {
	if s.received = received; received == nil {
		s.received = func(Event) {}
	}
	ctx, stop := context.WithCancel(
		context.WithValue(context.Background(), asyncTrips{}, true))
	s.stop = stop
	greeting, done := context.WithTimeout(ctx, s.client.longTimeout)
	defer done()
	if s.checkUsable(greeting) == nil {
		s.client.health.set(true)
	}
	for _, run := range []func(context.Context){
		func(ctx context.Context) { s.client.reconnect(ctx, s.checkUsable) },
		s.writeBehind, s.listen,
	} {
		s.running.Go(func() { run(ctx) })
	}
}

// checkUsable returns an error unless the shared store can be used: it answers, the replicas still
// agree, and their events in the meantime were received.
func (s *Store) checkUsable(ctx context.Context) error {
	own := s.own
	text, err := s.client.agree(ctx, own)
	if err == nil && !own.Given && text != own.Text {
		err = fmt.Errorf("%w: the store has another secret than this replica, which started "+
			"without it; restart it", ErrDisagree)
	}
	if errors.Is(err, ErrDisagree) && !s.disagreed.Swap(true) {
		s.client.log.Error("the shared store is not used", "cause", err.Error())
	}
	if err == nil {
		err = s.client.checkWritable(ctx)
	}
	if err == nil {
		err = s.client.loadScripts(ctx)
	}
	if err == nil {
		err = s.catchUp(ctx)
	}
	if err != nil {
		return err
	}
	if !s.compared.Swap(true) {
		s.compareSettings(ctx)
	}
	return s.client.checkLatency(ctx)
}

// Close flushes pending writes, for at most two seconds, and stops using the shared store. The
// local store stays open.
func (s *Store) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), LastWrites)
	s.Flush(ctx)
	cancel()
	s.stop()
	err := s.client.Close() // also ends waiting for events
	s.running.Wait()
	return err
}
