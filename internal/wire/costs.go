package wire

import (
	"math"
	"sync"

	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/internal/config"
	"killick/prices"
)

// costs are what models charge as the compactor sees it: shares of the price of fresh input.
type costs struct {
	config *config.Config
	mu     sync.Mutex
	known  map[string]settings.Costs // of mostModels models at most
}

const mostModels = 1000

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
	if len(c.known) >= mostModels {
		clear(c.known) // clients make up names
	}
	m, priced := c.config.PricesOf(model)
	costs := CostsOf(m, priced)
	c.known[model] = costs
	return costs
}

// CostsOf returns the costs of a model; if it is not priced, only what is known of its cache.
func CostsOf(m prices.Model, priced bool) settings.Costs {
	costs := settings.Costs{Lifetime: m.Lifetime}
	if !priced {
		return costs
	}
	shares := m.Shares()
	costs.Prices = plan.Prices{
		Cached: share(shares.Cached), Write: share(shares.Write), Output: share(shares.Output),
	}
	if m.Cliff.Above > 0 {
		costs.Cliff = plan.Cliff{Above: m.Cliff.Above, Factor: share(m.Cliff.Cached)}
	}
	if m.Extended.Lifetime > 0 {
		costs.Longer = settings.Retention{
			Lifetime: m.Extended.Lifetime, Write: share(m.Long().Shares().Write),
		}
	}
	return costs
}

// share is a share in ten-thousandths.
func share(of float64) int { return int(math.Round(of * plan.Fresh)) }
