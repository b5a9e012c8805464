package main

import (
	"fmt"
	"log/slog"

	"killick/cache"
	"killick/model"
	"killick/tokenizer"
)

// local is the compactor as serve wires it, with a store in memory and no HTTP in
// front of it.
type local struct {
	engine
	secret cache.Secret
	store  *cache.Store
}

// openLocal wires one. If route is nil, no model is asked.
func openLocal(c Config, route routes) (*local, error) {
	c.Cache.InMemory = true
	log := slog.New(slog.DiscardHandler)
	store, secret, err := openStore(c.Cache, log)
	if err != nil {
		return nil, fmt.Errorf("opening a store in memory: %w", err)
	}
	counter := tokenizer.New(tokenizer.Options{})
	var writers *summaries
	if route != nil {
		writers = newSummaries(&c, route, counter.For(c.Model.Name).Text, nil, log)
	}
	return &local{newReportingEngine(&c, store, secret, counter, writers, nil), secret, store}, nil
}

// whose is the name under which the store knows a credential.
func (l *local) whose(credential string) string { return l.secret.Who(credential) }

// spent is what was asked of models so far; nothing where none is asked.
func (l *local) spent() model.Spent {
	if l.summaries == nil {
		return model.Spent{}
	}
	return l.summaries.tell.spentSoFar()
}

// close ends what is being prepared and closes the store.
func (l *local) close() error {
	l.engine.Close()
	l.summaries.close()
	return l.store.Close()
}
