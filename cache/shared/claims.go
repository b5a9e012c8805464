package shared

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Claim takes on work that is to be done once by all replicas, for so long at most; a replica that
// ends meanwhile leaves it to the others after that. It reports whether it is this replica's to do.
// Where the shared store is away it is: the work is then done once by each.
func (s *Store) Claim(ctx context.Context, work string, lasts time.Duration) bool {
	won := true
	err := s.client.do(ctx, patience, func(ctx context.Context) (err error) {
		won, err = s.client.redis.SetNX(ctx, s.workName("claim", work), s.id, lasts).Result()
		return err
	})
	return won || err != nil
}

// Release gives up work that was claimed and not done, so that another may take it on.
func (s *Store) Release(work string) {
	name := s.workName("claim", work)
	s.behind("", "", 0, func(ctx context.Context, p redis.Pipeliner) { p.Unlink(ctx, name) })
}

// Add adds to a sum that all replicas share, and returns it; ok is false where the store is away.
// The sum is forgotten so long after something was last added.
func (s *Store) Add(
	ctx context.Context, sum string, amount float64, lasts time.Duration,
) (total float64, ok bool) {
	name := s.workName("sum", sum)
	err := s.client.do(ctx, patience, func(ctx context.Context) error {
		var cmd *redis.FloatCmd
		_, err := s.client.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			cmd = p.IncrByFloat(ctx, name, amount)
			p.Expire(ctx, name, lasts)
			return nil
		})
		total = cmd.Val()
		return err
	})
	return total, err == nil
}

// workName is a name that shows nothing of what it is for: what is claimed may be named by a
// conversation.
func (s *Store) workName(kind, what string) string {
	return space + kind + ":" + s.sealer.hash(kind, what)
}
