package wire

import (
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
	known  map[string]settings.Costs // of maxModels models at most
}

const maxModels = 1000

func newCosts(c *config.Config) *costs {
	return &costs{config: c, known: map[string]settings.Costs{}}
}

// of returns the costs of a model. Peak hours do not matter: they raise all prices alike.
func (c *costs) of(model string) settings.Costs {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.known[model]; ok {
		return known
	}
	if len(c.known) >= maxModels {
		clear(c.known) // clients make up names
	}
	costs := c.config.Costs(model)
	c.known[model] = costs
	return costs
}
