package shared

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"killick/cache"
)

// Config configures a Store.
type Config struct {
	Near   *cache.Store  // the local store; the caller closes it, after the Store
	Secret cache.Secret  // that replicas agreed on, see [Client.Agree]
	Own    Secret        // what this replica passed to Agree
	TTL    time.Duration // if zero, [cache.DefaultTTL]
}

// Store is a local store combined with the shared one. It is safe for concurrent use.
type Store struct {
	client   *Client
	near     *cache.Store
	sealer   sealer
	ttl      time.Duration
	own      Secret
	received func(Event)

	// Ending, if not nil, ends work of this replica that would store again what another replica
	// has deleted. It is called before anything is deleted here, and must be set before Start.
	Ending func(context.Context, Event)
	// Named, if not nil, returns further refs of a conversation that another replica has deleted.
	// It must be set before Start.
	Named func(context.Context, Event) []string

	// Settings are compared with those of other replicas once the store answers, if they have
	// sections. They must be set before Start.
	Settings Settings
	compared atomic.Bool

	id string // of this replica, for the lifetime of the process

	known    *otter.Cache[string, known] // by the tag of a conversation
	queue    *queue
	flushing sync.Mutex
	position position // up to where events were received
	recalled bool     // earlier facts were received again

	disagreed atomic.Bool // a disagreement was logged

	stop    context.CancelFunc
	running sync.WaitGroup
}

// known is how far a conversation was looked up in the shared store.
type known struct {
	stamp  string    // then
	length int       // of the longest prefix that was looked up
	last   cache.Key // of that prefix
	index  int       // of the form that was found then; -1 for none
}

// maxKnown bounds the remembered conversations, about 200 bytes each.
const maxKnown = 1 << 16

// open decrypts the value of a record, nil if no replica wrote it.
func (s *Store) open(name string, record []byte) []byte {
	value, err := s.sealer.open(name, record)
	if err != nil {
		s.client.count.unsealed.Add(1)
		return nil
	}
	return value
}

// Stats returns the counts up to now.
func (s *Store) Stats() Stats {
	c := &s.client.count
	return Stats{
		Up:         s.client.health.isUp(),
		RoundTrips: c.trips.Load() + c.async.Load(), Async: c.async.Load(),
		Commands: c.commands.Load(),
		Waited:   time.Duration(c.waitedFor.Load()),
		Adopted:  c.adopted.Load(), Published: c.published.Load(), Conflicts: c.conflicts.Load(),
		Unsealed: c.unsealed.Load(),
		Timeouts: c.timeouts.Load(), Away: c.away.Load(), Outages: c.outages.Load(),
		Failures: c.failures.Load(), Refused: c.refused.Load(),
		Waiting: s.queue.waiting(), Dropped: c.dropped.Load(), Received: c.received.Load(),
	}
}
