package settings

import (
	"time"

	"killick/compactor/plan"
)

// Costs are the prices of a model's input, and the lifetime of its provider's cache.
type Costs struct {
	plan.Prices
	// Lifetime is how long the provider keeps what it cached, from its last use. If zero, it is
	// not known, and the cache is assumed not to expire.
	Lifetime time.Duration
	// Longer is the longer lifetime that requests may ask for, with its price of writing.
	Longer Retention
}

// Retention is a lifetime of cached input, with the price of writing.
type Retention struct {
	Lifetime time.Duration
	Write    int // as in [plan.Prices]
}

// For returns the costs of a request that asks for this lifetime of the cache, 0 if it asks for
// none. A lifetime that is longer than the provider is known to offer is accepted.
func (c Costs) For(asked time.Duration) Costs {
	if asked <= c.Lifetime || c.Lifetime == 0 && c.Longer.Lifetime == 0 {
		return c
	}
	if c.Longer.Write > 0 {
		c.Write = c.Longer.Write
	}
	c.Lifetime = asked
	return c
}
