package shared

import (
	"context"
	"strconv"
	"time"
)

// factLifetime is how long an announced fact is valid.
const factLifetime = 24 * time.Hour

// recall passes the facts of the last day to the caller again, once, up to the position where the
// replica starts to listen: a restarted replica has lost the facts that it held in memory. The
// local store is not changed.
func (s *Store) recall(ctx context.Context) error {
	const eventsAtOnce = 1000
	from := strconv.FormatInt(time.Now().Add(-factLifetime).UnixMilli(), 10)
	last := s.position.get()
	for !s.recalled && before(from, last) {
		messages, err := s.client.redis.XRangeN(ctx, eventsName, from, last, eventsAtOnce).Result()
		if err != nil {
			return err
		}
		for i := range messages {
			if e, by, ok := s.read(&messages[i]); ok && by != s.id {
				s.received(e)
			}
		}
		if len(messages) < eventsAtOnce {
			break
		}
		from = "(" + messages[len(messages)-1].ID
	}
	s.recalled = true
	return nil
}
