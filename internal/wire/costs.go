package wire

import (
	"strings"
	"sync"

	"killick/compactor/settings"
	"killick/internal/config"
)

// Costs returns the prices of a model, as fractions of the price of fresh input.
type Costs func(model string) settings.Costs

// costs holds the Costs of a configuration.
type costs struct {
	config *config.Config
	mu     sync.Mutex
	known  map[string]settings.Costs // of at most maxModels models, with short names
}

// Limits of the remembered names, which clients choose.
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
	c.known[strings.Clone(model)] = costs // the name may be a substring of a whole request
	return costs
}
