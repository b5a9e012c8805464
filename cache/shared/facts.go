package shared

import (
	"context"
	"strconv"
	"time"
)

// factsCount is how long a fact counts that was announced.
const factsCount = 24 * time.Hour

// recall passes to the caller again, once, what was announced within the last day, up to where the
// replica goes on to listen: one that was started anew has lost the facts that it kept in memory.
// What is kept near is left as it is.
func (s *Store) recall(ctx context.Context) error {
	const eventsAtOnce = 1000
	from := strconv.FormatInt(time.Now().Add(-factsCount).UnixMilli(), 10)
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
