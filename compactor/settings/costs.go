package settings

import (
	"time"

	"killick/compactor/plan"
)

// Costs are what a model charges for input, and for how long its provider caches it.
type Costs struct {
	plan.Prices
	// Lifetime is for how long the provider keeps what it cached, from its last use; 0: that is
	// not known, and nothing is taken to be forgotten.
	Lifetime time.Duration
	// Longer is the lifetime that requests may ask for, and what writing costs then.
	Longer Retention
}

// Retention is for how long input is cached at a price.
type Retention struct {
	Lifetime time.Duration
	Write    int // as in [plan.Prices]
}

// For returns the costs for a request that asks for what it sends to be cached for so long, 0 if
// it does not say. What is longer than the provider is known to offer is believed.
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
