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

// Local is the compactor as serve builds it, but with a store in memory and without HTTP. The same
// requests are forwarded alike in each process.
type Local struct {
	Engine
	secret cache.Secret
	store  *cache.Store
}

// OpenLocal returns a Local. If route is nil, no model is called. If now is nil, it is time.Now. If
// costs is nil, the configuration's are used.
func OpenLocal(
	c config.Config, route Routes, now func() time.Time, costs Costs,
) (*Local, error) {
	c.Cache.InMemory = true
	log := slog.New(slog.DiscardHandler)
	secret := cache.SecretOf("local") // it keys refs; nobody else can ask for what they name
	store, err := openOwn(&c.Cache, secret, log)
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

// Spent returns the usage of calls to models so far.
func (l *Local) Spent() model.Usage {
	if l.summaries == nil {
		return model.Usage{}
	}
	return l.summaries.reports.spentSoFar()
}

// Close cancels preparations and closes the store.
func (l *Local) Close() error {
	l.Engine.Close()
	l.summaries.close()
	return l.store.Close()
}
