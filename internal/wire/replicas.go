package wire

import (
	"context"
	"log/slog"

	"killick/cache"
	"killick/cache/shared"
	"killick/internal/config"
)

// logReplicas logs at start how further replicas would behave without a shared store. Handles are
// keyed by the secret: replicas with different secrets forward different bytes for the same
// conversation, so the provider's prompt cache misses.
func logReplicas(c *config.Cache, log *slog.Logger) {
	const separate = "no store is shared, which matters with several replicas only: each " +
		"compacts separately, and does not know the refs of the others"
	if c.SecretFile != "" && !c.InMemory {
		log.Info(separate+"; replicas with this secret file forward the same bytes",
			"secret_file", c.SecretFile)
		return
	}
	log.Info(separate + "; replicas will differ in the bytes they forward, since each has its " +
		"own secret: give all of them the same cache.secret_file, and a store on disk")
}

// replicas implements [compactor.Replicas] with a shared store.
type replicas struct{ *shared.Store }

// LastSeen implements [compactor.Replicas]. A prefix is named by its key.
func (r replicas) LastSeen(ctx context.Context, who, name string) ([]byte, error) {
	var key cache.Key
	copy(key[:], name)
	return r.Conversation(who, []cache.Key{key, key}).LastSeen(ctx)
}
