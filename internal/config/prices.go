package config

import (
	"math"

	"killick/compactor/plan"
	"killick/compactor/settings"
	"killick/prices"
)

// PricesOf returns a model's prices and cache behaviour: each as set under models, by the most
// specific entry that sets it, else as in the table of prices_file, or in the built-in one. ok is
// false if its prices are unknown; its cache behaviour is returned anyway, if known.
func (c *Config) PricesOf(model string) (m prices.Model, ok bool) {
	m, _ = c.PricesFile.Table().Of(model)
	for _, name := range settings.ByModel(c.Models, model) {
		own := c.Models[name]
		if own.Prices != (prices.Model{}) {
			m = own.Prices.Over(m)
		}
		if own.CacheTTL > 0 {
			m.Lifetime = own.CacheTTL
		}
	}
	return m, m.Input > 0
}

// Costs returns the costs of a model as the compactor sees them.
func (c *Config) Costs(model string) settings.Costs { return CostsOf(c.PricesOf(model)) }

// CostsOf returns the costs of a model as the compactor sees them. Without prices, it only returns
// the lifetime of its cache.
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

// share converts a fraction to ten-thousandths.
func share(of float64) int { return int(math.Round(of * plan.Fresh)) }
