package wire

import (
	"strings"
	"sync"

	"killick/compactor/settings"
	"killick/internal/config"
)

// Costs returns what a model charges, in shares of the price of fresh input.
type Costs func(model string) settings.Costs

// costs are what models charge as the compactor sees it: shares of the price of fresh input.
type costs struct {
	config *config.Config
	mu     sync.Mutex
	known  map[string]settings.Costs // of maxModels models at most, with names that are not long
}

// Clients choose the names of models: this bounds how many are remembered, and how long they are.
const (
	maxModels    = 1000
	maxModelName = 256
)

func newCosts(c *config.Config) *costs {
	return &costs{config: c, known: map[string]settings.Costs{}}
}

// of returns the costs of a model. Peak hours do not matter: they raise all prices alike.
func (c *costs) of(model string) settings.Costs {
	if len(model) > maxModelName {
		return c.config.Costs(model)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.known[model]; ok {
		return known
	}
	if len(c.known) >= maxModels {
		clear(c.known)
	}
	costs := c.config.Costs(model)
	c.known[strings.Clone(model)] = costs // it may be a part of a longer text
	return costs
}
