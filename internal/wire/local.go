package wire

import (
	"fmt"
	"log/slog"
	"time"

	"killick/cache"
	"killick/internal/config"
	"killick/model"
	"killick/tokenizer"
)

// Local is the compactor as serve wires it, with a store in memory and no HTTP in
// front of it.
type Local struct {
	Engine
	secret cache.Secret
	store  *cache.Store
}

// OpenLocal wires one. If route is nil, no model is asked. If now is nil, it is time.Now. If costs
// is nil, they are the configuration's.
func OpenLocal(
	c config.Config, route Routes, now func() time.Time, costs Costs,
) (*Local, error) {
	c.Cache.InMemory = true
	log := slog.New(slog.DiscardHandler)
	store, secret, err := OpenStore(c.Cache, log)
	if err != nil {
		return nil, fmt.Errorf("opening a store in memory: %w", err)
	}
	counter := tokenizer.New(tokenizer.Options{})
	var writers *summaries
	if route != nil {
		writers = newSummaries(&c, route, counter.For(c.Model.Name).Text, nil, nil, log)
	}
	e := NewEngine(&c, Parts{Store: store, Secret: secret, Counter: counter, writers: writers,
		now: now, costs: costs})
	return &Local{e, secret, store}, nil
}

// Owner returns the name under which the store keeps what belongs to a credential.
func (l *Local) Owner(credential string) string { return l.secret.Who(credential) }

// Spent is what was asked of models so far; nothing where none is asked.
func (l *Local) Spent() model.Usage {
	if l.summaries == nil {
		return model.Usage{}
	}
	return l.summaries.reports.spentSoFar()
}

// Close ends what is being prepared and closes the store.
func (l *Local) Close() error {
	l.Engine.Close()
	l.summaries.close()
	return l.store.Close()
}
