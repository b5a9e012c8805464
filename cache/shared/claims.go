package shared

import (
	"context"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"killick/hourly"
)

// Claim claims work that should be done once across all replicas, and reports whether this replica
// should do it. The claim expires after a while, so that others take over if this replica exits. If
// the shared store is down, every replica does the work.
func (s *Store) Claim(ctx context.Context, work string, lasts time.Duration) bool {
	won := true
	err := s.client.do(ctx, s.client.longTimeout, func(ctx context.Context) (err error) {
		won, err = s.client.redis.SetNX(ctx, s.workName("claim", work), s.id, lasts).Result()
		return err
	})
	return won || err != nil
}

// Release releases a claim of work that was not done, so that another replica may claim it.
func (s *Store) Release(work string) {
	name := s.workName("claim", work)
	s.async("", "", 0, func(ctx context.Context, p redis.Pipeliner) { p.Unlink(ctx, name) })
}

// Add adds to what all replicas together counted or spent under a name, and returns the total
// within the hour before at, including the amount. It is not ok if the store is down.
func (s *Store) Add(
	ctx context.Context, sum string, at time.Time, amount float64,
) (within float64, ok bool) {
	name := s.workName("sum", sum)
	slot := hourly.Slot(at)
	var old []string // slots that do not count any more, as in an hourly.Sum
	for past := slot - 2*hourly.Slots + 1; past <= slot-hourly.Slots; past++ {
		old = append(old, strconv.FormatInt(past, 10))
	}
	var counted *redis.MapStringStringCmd
	err := s.client.do(ctx, s.client.longTimeout, func(ctx context.Context) error {
		_, err := s.client.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.HIncrByFloat(ctx, name, strconv.FormatInt(slot, 10), amount)
			p.HDel(ctx, name, old...)
			p.PExpire(ctx, name, time.Hour)
			counted = p.HGetAll(ctx, name)
			return nil
		})
		return err
	})
	if err != nil {
		return 0, false
	}
	for field, text := range counted.Val() {
		of, err1 := strconv.ParseInt(field, 10, 64)
		n, err2 := strconv.ParseFloat(text, 64)
		if err1 != nil || err2 != nil {
			return 0, false
		}
		if hourly.Counts(of, at) { // others are of a clock that was wrong
			within += n
		}
	}
	return within, true
}

// workName returns a hashed name, since the name of work may be derived from a conversation.
func (s *Store) workName(kind, what string) string {
	return space + kind + ":" + s.sealer.hash(kind, what)
}
