package wire

import (
	"context"
	"log/slog"

	"killick/cache"
	"killick/cache/shared"
	"killick/internal/config"
)

// logReplicas says at start what another replica in front of the same clients would do, since none
// shares a store. Handles are keyed by the secret of each: with secrets of their own replicas
// forward other bytes for the same conversation, and a provider's prompt cache misses.
func logReplicas(c *config.Cache, log *slog.Logger) {
	const apart = "no store is shared: each replica compacts separately, and does not know " +
		"the refs of the others"
	if c.SecretFile != "" && !c.InMemory {
		log.Info(apart+"; those with this secret file forward the same bytes", "secret_file",
			c.SecretFile)
		return
	}
	log.Info(apart + "; replicas will differ in the bytes that they forward, since each has a " +
		"secret of its own: give all of them one cache.secret_file, and a store on disk")
}

// replicas are those that share a store, as the compactor sees them.
type replicas struct{ *shared.Store }

// LastSeen implements [compactor.Replicas]. The name of a prefix is its key.
func (r replicas) LastSeen(ctx context.Context, who, name string) ([]byte, error) {
	var key cache.Key
	copy(key[:], name)
	return r.Conversation(who, []cache.Key{key, key}).LastSeen(ctx)
}
