package wire

import (
	"context"
	"log/slog"

	"killick/cache"
	"killick/cache/shared"
	"killick/internal/config"
)

// logReplicas logs at start how further replicas would behave without a shared store. Refs are
// keyed by the secret: replicas with different secrets forward different bytes for the same
// conversation, so the provider's prompt cache misses.
func logReplicas(c *config.Cache, log *slog.Logger) {
	if c.SecretFile != "" && !c.InMemory {
		log.Info("no store is shared (cache.url); replicas with this secret file forward the same "+
			"bytes, but do not know each other's refs", "secret_file", c.SecretFile)
		return
	}
	log.Info("no store is shared (cache.url): fine for one process; several replicas would " +
		"forward different bytes, so give them the same cache.url or cache.secret_file")
}

// replicas implements [compactor.Replicas] with a shared store.
type replicas struct{ *shared.Store }

// LastSeen implements [compactor.Replicas]. A prefix is named by its key.
func (r replicas) LastSeen(ctx context.Context, who, name string) ([]byte, error) {
	var key cache.Key
	copy(key[:], name)
	return r.Conversation(who, []cache.Key{key, key}).LastSeen(ctx)
}
